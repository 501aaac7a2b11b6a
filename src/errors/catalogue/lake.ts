/** Errors that belong to no one part: broken invariants, text that is not JSON, calls that were cancelled. */
import type { ErrorSpec } from './spec.ts'

export const lakeErrors = {
  LAKE_INTERNAL: {
    message: 'an invariant does not hold: {what}',
    remedy: 'this is a fault of this package; please report it with the table that shows it',
    sqlState: 'XX000',
  },
  LAKE_JSON_MALFORMED: {
    message: 'not JSON at character {position}: {reason}',
    sqlState: '22032',
  },
  LAKE_CANCELLED: { message: '{what} was cancelled', sqlState: '57014' },
  LAKE_ARROW_TYPE: {
    message: 'the column {column} has the Arrow type {type}, which no column of a table can hold',
    remedy: 'cast the column to another type before handing it over',
    sqlState: '0A000',
  },
  LAKE_ARROW_VALUE: {
    message: 'the column {column} holds {value}, which is not {wanted}',
    remedy: 'round the column before handing it over',
    sqlState: '22023',
  },
  LAKE_PORT_IN_USE: {
    message: 'port {port} on {host} is taken',
    remedy: 'end what listens there, or choose another port with --port (0 takes any free one)',
    sqlState: '08004',
  },
  LAKE_WORKER_UNREACHABLE: {
    message: 'the worker at {url} tells nothing of itself: {reason}',
    remedy: 'start it with `server` in its configuration, and give that address, such as http://127.0.0.1:9090',
    sqlState: '08001',
  },
} as const satisfies Record<string, ErrorSpec>
