/** Errors about literals of intervals, under Spark's names. */
import type { ErrorSpec } from './spec.ts'

export const intervalErrors = {
  'INVALID_INTERVAL_FORMAT.INTERVAL_PARSING': {
    message: "'{input}' is no interval {units}",
    sqlState: '22006',
  },
  'INVALID_INTERVAL_FORMAT.ARITHMETIC_EXCEPTION': {
    message: "the interval '{input}' is too long",
    sqlState: '22006',
  },
  'INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION': {
    message: 'there is no interval {from} to {to}',
    sqlState: '22006',
  },
  'INVALID_INTERVAL_FORMAT.INVALID_VALUE': {
    message: "'{input}' is no interval: its amount is no number",
    sqlState: '22006',
  },
  _LEGACY_ERROR_TEMP_0026: {
    message: "'{input}' is no interval: its amount is no number",
    sqlState: '42601',
  },
  'INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING': {
    message: "'{input}' is not of the form of the type {type}",
    sqlState: '22006',
  },
  'INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE': {
    message: "'{input}' cannot be cast to the type {type}",
    sqlState: '22006',
  },
  _LEGACY_ERROR_TEMP_0029: {
    message: 'an interval is of years and months or of days and less, not of both',
    sqlState: '42601',
  },
  _LEGACY_ERROR_TEMP_0063: {
    message: "'{input}' is no interval: a part is out of its range",
    sqlState: '42601',
  },
} as const satisfies Record<string, ErrorSpec>
