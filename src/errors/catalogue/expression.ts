/** Errors of the expression language: parsing, binding, evaluating. Codes are Spark's where Spark has one. */
import type { ErrorSpec } from './spec.ts'

export const expressionErrors = {
  // ---- reading text
  PARSE_SYNTAX_ERROR: {
    message: 'syntax error at {near} (line {line}, column {column}), expected {expected}\n{sourceLine}\n{caret}',
    sqlState: '42601',
  },
  UNCLOSED_BRACKETED_COMMENT: {
    message: 'the comment that begins at line {line}, column {column} is never closed',
    sqlState: '42601',
  },
  INVALID_IDENTIFIER: {
    message: 'the name {name} (line {line}, column {column}) has characters that need backticks around it',
    sqlState: '42602',
  },
  FAILED_TO_PARSE_TOO_COMPLEX: {
    message: 'the expression is nested more than {limit} levels deep',
    remedy: 'write it with fewer levels',
    sqlState: '54001',
  },
  INVALID_NUMERIC_LITERAL_RANGE: {
    message: 'the literal {literal} is outside {min} to {max}, the range of {type}',
    sqlState: '22003',
  },
  DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION: {
    message: 'a decimal has at most 38 digits, here are {precision}',
    sqlState: '22003',
  },
  _LEGACY_ERROR_TEMP_1228: {
    message: 'the scale {scale} of a decimal is greater than its precision {precision}',
    sqlState: '42601',
  },
  INVALID_TYPED_LITERAL: {
    message: "'{value}' is no value of the type {type}",
    sqlState: '42604',
  },
  UNSUPPORTED_TYPED_LITERAL: {
    message:
      'there are no literals of the type {type}; there are DATE, TIMESTAMP, TIMESTAMP_NTZ, TIMESTAMP_LTZ, INTERVAL and X',
    sqlState: '0A000',
  },
  UNSUPPORTED_DATATYPE: {
    message: 'there is no type {type}',
    sqlState: '0A000',
  },
  'UNSUPPORTED_FEATURE.GEOSPATIAL_DISABLED': {
    message: 'there are no values of the type {type}; keep the shape as text or binary',
    sqlState: '0A000',
  },
  UNSUPPORTED_TIME_TYPE: {
    message: 'the type TIME is not supported',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  INVALID_ESC: {
    message: "the escape of LIKE is one character, here it is '{escape}'",
    sqlState: '42604',
  },
  // ---- binding names and types
  LAKE_EXPRESSION_UNSUPPORTED: {
    message: '{what} is not supported in an expression',
    remedy: '{advice}',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  'UNRESOLVED_COLUMN.WITH_SUGGESTION': {
    message: 'there is no column {name}; {names} {proposal}',
    sqlState: '42703',
  },
  'UNRESOLVED_COLUMN.WITHOUT_SUGGESTION': {
    message: 'there is no column {name}: there are no columns here',
    sqlState: '42703',
  },
  AMBIGUOUS_REFERENCE: {
    message: 'the column {name} can be {candidates}',
    sqlState: '42704',
  },
  AMBIGUOUS_REFERENCE_TO_FIELDS: {
    message: 'the struct has {count} fields that {name} can mean',
    sqlState: '42000',
  },
  FIELD_NOT_FOUND: {
    message: 'the struct has no field {name}; it has {fields}',
    sqlState: '42704',
  },
  INVALID_EXTRACT_FIELD: {
    message: 'there is no {field} to extract from {expression}',
    sqlState: '42601',
  },
  INVALID_EXTRACT_BASE_FIELD_TYPE: {
    message: 'nothing can be taken out of {base}, it has the type {type}; a struct, an array or a map is needed',
    sqlState: '42000',
  },
  UNRESOLVED_ROUTINE: {
    message: 'there is no function {name}',
    sqlState: '42883',
  },
  'WRONG_NUM_ARGS.WITHOUT_SUGGESTION': {
    message: 'the function {name} takes {expected} arguments, here are {actual}',
    sqlState: '42605',
  },
  'DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES': {
    message: '{operator} takes two values of one type, here are {left} and {right}',
    remedy: 'cast one of them',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE': {
    message: '{operator} takes {expected}, here is {actual}',
    remedy: 'cast it',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE': {
    message: 'argument {position} of {name} must be {expected}, here is {actual}',
    remedy: 'cast it',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.DATA_DIFF_TYPES': {
    message: '{name} takes values of one type, here are {types}',
    remedy: 'cast some of them',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES': {
    message: '{name} takes an array and a value of its element type, here are {left} and {right}',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.BINARY_ARRAY_DIFF_TYPES': {
    message: '{name} takes two arrays of one type, here are {left} and {right}',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES': {
    message: '{name} takes a map and a key of its type, here are {left} and {right}',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.MAP_CONCAT_DIFF_TYPES': {
    message: '{name} takes maps of one type, here are {types}',
    sqlState: '42K09',
  },
  NON_FOLDABLE_ARGUMENT: {
    message: 'the argument {parameter} of {name} must be a constant of the type {type}',
    sqlState: '42K08',
  },
  'DATATYPE_MISMATCH.INVALID_ORDERING_TYPE': {
    message: '{name} cannot compare values of the type {type}',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE': {
    message: 'the key of a map cannot be of the type {type}',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION': {
    message: 'there is no cast from {from} to {to}',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION': {
    message: 'there is no cast from {from} to {to} in ANSI mode',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION': {
    message: 'there is no cast from {from} to {to}; {functions} does that',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING': {
    message: 'the names in named_struct must be string literals',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.INVALID_JSON_SCHEMA': {
    message: 'to_json takes a struct, a map, an array or a variant, here is {type}',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.NULL_TYPE': {
    message: '{name} cannot look for a bare NULL',
    remedy: 'cast the NULL',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.INPUT_SIZE_NOT_ONE': {
    message: "{name} takes one character for each replacement, here is '{value}'",
    sqlState: '42K09',
  },
  INVALID_ESCAPE_CHAR: { message: "the escape character '{escape}' is not one character", sqlState: '42604' },
  'DATATYPE_MISMATCH.NON_FOLDABLE_INPUT': {
    message: 'argument {position} of {name} must be a constant',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.UNEXPECTED_RETURN_TYPE': {
    message: 'the function given to {name} must give {expected}, it gives {actual}',
    sqlState: '42K09',
  },
  'DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN': {
    message: 'the condition {expression} has the type {type}; it must be boolean',
    sqlState: '42K09',
  },
  // ---- evaluating
  CAST_INVALID_INPUT: {
    message: "the value '{value}' of the type {from} cannot be cast to {to}: it is malformed",
    remedy: 'use try_cast to get NULL instead',
    sqlState: '22018',
  },
  CAST_OVERFLOW: {
    message: 'the value {value} of the type {from} cannot be cast to {to}: it does not fit',
    remedy: 'use try_cast to get NULL instead',
    sqlState: '22003',
  },
  'NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION': {
    message: 'the value {value} does not fit into {type}',
    remedy: 'use a try_ function to get NULL instead',
    sqlState: '22003',
  },
  NUMERIC_OUT_OF_SUPPORTED_RANGE: {
    message: 'the value {value} has more digits than a number can have here',
    sqlState: '22003',
  },
  ARITHMETIC_OVERFLOW: {
    message: 'the result of {operation} does not fit into {type}',
    remedy: 'use a try_ function to get NULL instead',
    sqlState: '22003',
  },
  BINARY_ARITHMETIC_OVERFLOW: {
    message: 'the result of {operation} does not fit into {type}',
    remedy: 'use a try_ function to get NULL instead',
    sqlState: '22003',
  },
  DIVIDE_BY_ZERO: {
    message: 'division by zero',
    remedy: 'use try_divide to get NULL instead',
    sqlState: '22012',
  },
  REMAINDER_BY_ZERO: {
    message: 'remainder by zero',
    remedy: 'use try_mod to get NULL instead',
    sqlState: '22012',
  },
  INTERVAL_DIVIDED_BY_ZERO: {
    message: 'an interval is divided by zero',
    remedy: 'use try_divide to get NULL instead',
    sqlState: '22012',
  },
  'INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION': {
    message: 'the result of {operation} is too long an interval',
    sqlState: '22015',
  },
  'INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION': {
    message: 'the result of {operation} is too long an interval',
    sqlState: '22015',
  },
  DATETIME_OVERFLOW: {
    message: '{operation} leaves the range of dates and times',
    sqlState: '22008',
  },
  'DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION': {
    message: 'there is no such date or time: {reason}',
    sqlState: '22023',
  },
  INVALID_FRACTION_OF_SECOND: {
    message: 'the seconds {seconds} are out of range',
    sqlState: '22023',
  },
  ILLEGAL_DAY_OF_WEEK: {
    message: '{value} is no day of the week',
    sqlState: '22009',
  },
  INVALID_TIMEZONE: {
    message: '{zone} is no time zone known here',
    remedy: 'give a name such as Europe/Berlin or an offset such as +02:00',
    sqlState: '22009',
  },
  CANNOT_PARSE_TIMESTAMP: {
    message: "'{value}' does not match the pattern '{pattern}'",
    remedy: 'use a try_ function to get NULL instead',
    sqlState: '22007',
  },
  'INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER': {
    message: "the pattern '{pattern}' has the letter '{letter}', which stands for nothing",
    sqlState: '22007',
  },
  'INVALID_DATETIME_PATTERN.LENGTH': {
    message: "the pattern '{pattern}' has too long a run of one letter",
    sqlState: '22007',
  },
  'INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION': {
    message: "the pattern '{pattern}' has letters whose meaning is not clear (week-based or old ones)",
    sqlState: '42K0B',
  },
  INVALID_ARRAY_INDEX: {
    message: 'the index {index} is outside the array of {size} elements',
    remedy: 'use get to have NULL instead',
    sqlState: '22003',
  },
  INVALID_ARRAY_INDEX_IN_ELEMENT_AT: {
    message: 'the index {index} is outside the array of {size} elements',
    remedy: 'use try_element_at to have NULL instead',
    sqlState: '22003',
  },
  INVALID_INDEX_OF_ZERO: {
    message: 'the index 0 is none: element_at counts from 1, or from -1 backwards',
    sqlState: '22003',
  },
  DUPLICATED_MAP_KEY: {
    message: 'the key {key} stands twice in a map',
    sqlState: '23505',
  },
  NULL_MAP_KEY: {
    message: 'the key of a map is null',
    sqlState: '2200E',
  },
  _LEGACY_ERROR_TEMP_2128: {
    message: 'the arrays of keys and of values have different lengths',
    sqlState: '22023',
  },
  'INVALID_FORMAT.ESC_AT_THE_END': {
    message: "the LIKE pattern '{pattern}' ends in its escape character",
    sqlState: '42601',
  },
  'INVALID_FORMAT.ESC_IN_THE_MIDDLE': {
    message: "the LIKE pattern '{pattern}' has its escape character before '{character}', which it cannot escape",
    sqlState: '42601',
  },
  'INVALID_PARAMETER_VALUE.PATTERN': {
    message: "'{pattern}' is no regular expression",
    sqlState: '22023',
  },
  'INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX': {
    message: 'there is no group {index}; the pattern has {count}',
    sqlState: '22023',
  },
  'INVALID_PARAMETER_VALUE.CHARSET': {
    message: 'there is no character set {charset}',
    sqlState: '22023',
  },
  'INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE': {
    message: 'the bit {position} is outside 0 to {last}',
    sqlState: '22023',
  },
  'INVALID_PARAMETER_VALUE.START': {
    message: 'slice counts from 1, or from -1 backwards; the start cannot be 0',
    sqlState: '22023',
  },
  'INVALID_PARAMETER_VALUE.LENGTH': {
    message: 'the length {length} of {name} is negative',
    sqlState: '22023',
  },
  'INVALID_PARAMETER_VALUE.DATETIME_UNIT': {
    message: '{value} is no unit of time',
    sqlState: '22023',
  },
  INVALID_REGEXP_REPLACE: {
    message: "the replacement '{replacement}' names a group that is not in the pattern",
    sqlState: '22023',
  },
  MALFORMED_CHARACTER_CODING: {
    message: '{name}: the text cannot be written in, or the bytes are not in, the character set {charset}',
    sqlState: '22000',
  },
  CANNOT_DECODE_URL: {
    message: "'{url}' is not percent-encoded text",
    sqlState: '22546',
  },
  INVALID_URL: {
    message: "'{url}' is no address",
    sqlState: '22P02',
  },
  USER_RAISED_EXCEPTION: {
    message: '{text}',
    sqlState: 'P0001',
  },
  'MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION': {
    message: 'the text {value} is not JSON of the type asked for',
    sqlState: '22023',
  },
  CONVERSION_INVALID_INPUT: {
    message: 'the value {value} cannot be read as {format}',
    remedy: 'use try_to_binary to get NULL instead',
    sqlState: '22018',
  },
  'DATATYPE_MISMATCH.MAP_ZIP_WITH_DIFF_TYPES': {
    message: '{name} takes maps with keys of one type, not {left} and {right}',
    sqlState: '42K09',
  },
} as const satisfies Record<string, ErrorSpec>
