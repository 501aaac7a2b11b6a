/** Calls that chapters begin with. */
import type { Call } from '../../calls/call.ts'
import { SECOND_ROWS } from '../../play/starter.ts'

/** The third file of the starter. */
export const SECOND_CALL: Call = { op: 'append', rows: SECOND_ROWS, mergeSchema: false }
