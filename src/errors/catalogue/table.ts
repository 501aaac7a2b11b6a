/** Errors of the table interface and its operations: schema mismatches, modes, options. */
import type { ErrorSpec } from './spec.ts'

export const tableErrors = {} as const satisfies Record<string, ErrorSpec>
