/** An error as the page shows it. */
import { causeText, isDeltaError } from '../../errors/index.ts'

export interface Failure {
  readonly code: string
  readonly message: string
  readonly remedy?: string | undefined
}

export function failureOf(error: unknown): Failure {
  return isDeltaError(error)
    ? { code: error.code, message: error.message, remedy: error.remedy }
    : { code: 'LAKE_INTERNAL', message: causeText(error) }
}
