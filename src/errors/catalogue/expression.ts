/** Errors of the expression language: parsing, binding, evaluating. Codes are Spark's where Spark has one. */
import type { ErrorSpec } from './spec.ts'

export const expressionErrors = {} as const satisfies Record<string, ErrorSpec>
