/** Errors of the row engines: unreadable data files, limits, failed writes. */
import type { ErrorSpec } from './spec.ts'

export const engineErrors = {} as const satisfies Record<string, ErrorSpec>
