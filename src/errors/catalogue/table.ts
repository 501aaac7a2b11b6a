/** Errors of the table interface and its operations: schema mismatches, modes, options. */
import type { ErrorSpec } from './spec.ts'

export const tableErrors = {
  DELTA_FAILED_TO_MERGE_FIELDS: {
    message: '{place}: the column {column} is {type}, and the data holds {found} there',
    remedy: 'change the data, or overwrite the table with overwriteSchema',
    sqlState: '22005',
  },
  DELTA_METADATA_MISMATCH: {
    message: '{problem}',
    remedy: '{advice}',
    sqlState: '42KDG',
  },
  CAST_OVERFLOW_IN_TABLE_INSERT: {
    message: '{place}: {value} is too large for the column {column}, which is {type}',
    sqlState: '22003',
  },
  'DELTA_DUPLICATE_COLUMNS_FOUND.DATA': {
    message: 'the data has the column {columns} more than once, regardless of case',
    sqlState: '42711',
  },
  DELTA_PATH_EXISTS: {
    message: 'there is a table at {path} already',
    remedy: 'use the mode append, overwrite or ignore',
    sqlState: '42K04',
  },
  DELTA_TABLE_ALREADY_EXISTS: {
    message: 'there is a table at {path} already',
    remedy: 'use createIfNotExists, or another path',
    sqlState: '42P07',
    kind: 'conflict',
  },
  DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION: {
    message: 'a table cannot be partitioned by all of its columns',
    remedy: 'leave at least one column out',
    sqlState: '428FT',
  },
  DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE: {
    message: 'the {what} {value} is not one a table can be read at',
    remedy: 'give a version as a whole number from 0, a timestamp as in 2024-02-29T12:00:00Z',
    sqlState: '42604',
  },
  DELTA_MISSING_PARTITION_COLUMN: {
    message: 'the partition column {column} is not a column of the data, which has {columns}',
    sqlState: '42KD6',
  },
  DELTA_NESTED_NOT_NULL_CONSTRAINT: {
    message: 'NOT NULL stands inside of {column}, which is {type}, and no row of an array or a map is held to it',
    remedy: 'leave NOT NULL out there',
    sqlState: '0AKDC',
  },
  DELTA_NOT_NULL_CONSTRAINT_VIOLATED: {
    message: 'the column {column} is NOT NULL, and a row holds null there',
    sqlState: '23502',
  },
  DELTA_EXCEED_CHAR_VARCHAR_LIMIT: {
    message: '{place}: {value} is too long for the column {column}, which is {type}',
    remedy: 'shorten the text, or overwrite the table with overwriteSchema',
    sqlState: '22001',
  },
  LAKE_CHAR_VARCHAR_WRITE_UNSUPPORTED: {
    message: 'the column {column} carries the declared type {type}, which does not fit the type it has',
    remedy: 'correct the metadata of the column, or use another writer',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT: {
    message: 'the column {column} needs the table feature {feature}, which the table does not have',
    remedy: 'set delta.feature.{feature} = supported on the table first',
    sqlState: '42000',
  },
  LAKE_INVALID_VALUE: {
    message: '{place}: {value} does not go into the column {column}, which is {type}: {reason}',
    sqlState: '22018',
  },
  LAKE_ROW_NOT_AN_OBJECT: {
    message: '{place} is {found}, and a row is an object of columns',
    sqlState: '22000',
    kind: 'usage',
  },
  LAKE_UNTYPED_VALUE: {
    message: 'the column {column} holds a {found}, which is no value of a table',
    sqlState: '22000',
    kind: 'usage',
  },
  LAKE_NUMBER_NEEDS_TYPE: {
    message: 'the column {column} has no type yet and holds {value}, which {problem}',
    remedy: 'create the table with a type that holds it, such as a DECIMAL, or give it as text',
    sqlState: '22003',
    kind: 'usage',
  },
  LAKE_EMPTY_SCHEMA: {
    message: 'no column can be made of the data: {reason}',
    remedy: 'give a schema, or rows with a value that is not null',
    sqlState: '42K09',
  },
  LAKE_INVALID_OPTION: {
    message: 'the option {option} is {value}; {allowed}',
    sqlState: '22023',
    kind: 'usage',
  },
  LAKE_BAD_RECORD: {
    message: '{place}: {reason}',
    remedy: 'nothing was written; correct the line or leave it out',
    sqlState: '22032',
  },
  LAKE_CONFIG_INVALID: {
    message: 'the configuration {file} cannot be used: {problem}',
    sqlState: '22023',
    kind: 'usage',
  },
  LAKE_FILE_NOT_READABLE: {
    message: '{file} cannot be read: {cause}',
    remedy: 'check the path, and what the file holds',
    sqlState: '58030',
    kind: 'storage',
  },
  LAKE_FILE_NOT_WRITABLE: {
    message: '{file} cannot be written: {cause}',
    remedy: 'choose another place, or make room there',
    sqlState: '58030',
    kind: 'storage',
  },
  LAKE_USAGE: {
    message: '{problem}',
    remedy: '{advice}',
    sqlState: '42601',
    kind: 'usage',
  },
  DELTA_VIOLATE_CONSTRAINT_WITH_VALUES: {
    message: 'a row breaks the CHECK constraint {constraint} {expression}; it holds {values}',
    remedy: 'correct the row, or drop the constraint',
    sqlState: '23001',
  },
  LAKE_CONSTRAINT_UNSUPPORTED: {
    message: 'the expression {name}, which is {sql}, cannot be evaluated: {cause}',
    remedy: 'write to the table with another writer, or change the expression',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  DELTA_INVALID_INVARIANT: {
    message: 'the invariant of the column {column} is {value}, which holds no expression',
    sqlState: '42K05',
  },
  DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED: {
    message: 'the column {column} is GENERATED ALWAYS AS IDENTITY, and the data gives values for it',
    remedy: 'leave the column out',
    sqlState: '42808',
  },
  DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED: {
    message: 'the column {column} is an identity column, whose values cannot be changed',
    remedy: 'leave the column out',
    sqlState: '42808',
  },
  DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN: {
    message: 'SYNC IDENTITY was asked for the column {column}, which is no identity column',
    sqlState: '429BQ',
  },
  DELTA_CONFLICT_SET_COLUMN: {
    message: 'the columns {columns} are set at once, and each can have one value only',
    remedy: 'set a column once; set a struct or members of it, not both',
    sqlState: '42701',
  },
  DELTA_UNSUPPORTED_NESTED_FIELD_IN_UPDATE: {
    message: 'only members of structs can be set, and {column} lies in a value of the type {type}',
    remedy: 'set the whole column',
    sqlState: '0A000',
  },
  DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION: {
    message: 'a value of the type {from} cannot be assigned to {column}, which is {to}: their members differ',
    remedy: 'name every member of the column, and no other',
    sqlState: '42846',
  },
  DELTA_CAST_OVERFLOW_IN_TABLE_WRITE: {
    message: 'the value {value} of the type {from} is too large for the column {column}, which is {to}',
    remedy: 'use try_cast to get NULL instead',
    sqlState: '22003',
  },
  DELTA_UNSUPPORTED_SUBQUERY: {
    message: 'a subquery in the condition of {operation} is not supported: {expression}',
    remedy: 'join the other table in a MERGE',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  INVALID_NON_DETERMINISTIC_EXPRESSIONS: {
    message: 'rows are chosen by {expression}, which may give another answer each time',
    remedy: 'compute the value before',
    sqlState: '42K0E',
  },
  UNSUPPORTED_EXPR_FOR_OPERATOR: {
    message: 'rows are chosen by {expression}, which asks for more than one row',
    remedy: 'aggregate in a SELECT before, and use its result',
    sqlState: '42K0E',
  },
  DELTA_REPLACE_WHERE_MISMATCH: {
    message: 'a row written does not satisfy replaceWhere, which is {predicate}; it holds {values}',
    remedy: 'leave such rows out, or widen the predicate',
    sqlState: '44000',
  },
  DELTA_INSERT_COLUMN_ARITY_MISMATCH: {
    message: 'the data has not enough {what}: {given} for {wanted}',
    remedy: 'give a value for each, or name the columns that get one',
    sqlState: '42802',
  },
  'INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS': {
    message: '{wanted} columns are named, and the data has {given}',
    sqlState: '21S01',
  },
  'INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS': {
    message: '{wanted} columns are named, and the data has {given}',
    sqlState: '21S01',
  },
  DELTA_INSERT_COLUMN_MISMATCH: {
    message: 'the column {column} is NOT NULL, has no default, and gets no value',
    remedy: 'give a value for it',
    sqlState: '42802',
  },
  'DELTA_DUPLICATE_COLUMNS_FOUND.READ_SCHEMA': {
    message: 'the data has the columns {columns}, which mean the same, regardless of case',
    sqlState: '42711',
  },
  DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE: {
    message: 'rows are replaced by a predicate or by the partitions written, not by both',
    remedy: 'leave out replaceWhere or partitionOverwriteMode',
    sqlState: '42613',
  },
  DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE: {
    message: 'a schema is replaced together with every row, and only some partitions are overwritten',
    remedy: 'leave out overwriteSchema or partitionOverwriteMode',
    sqlState: '42613',
  },
} as const satisfies Record<string, ErrorSpec>
