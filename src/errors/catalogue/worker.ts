/** Errors of the worker: configuration, sources, routes, destinations. */
import type { ErrorSpec } from './spec.ts'

export const workerErrors = {} as const satisfies Record<string, ErrorSpec>
