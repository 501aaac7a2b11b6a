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
  LAKE_PORT_IN_USE: {
    message: 'port {port} on {host} is taken',
    remedy: 'end what listens there, or choose another port with --port (0 takes any free one)',
    sqlState: '08004',
  },
} as const satisfies Record<string, ErrorSpec>
