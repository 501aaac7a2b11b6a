/** What something failed with, as the page shows it. */
import { DeltaError } from './library.ts'
import type { Failure } from './messages.ts'

export function failureOf(error: unknown): Failure {
  if (error instanceof DeltaError) return { code: error.code, message: error.message, remedy: error.remedy }
  return { code: 'LAKE_INTERNAL', message: error instanceof Error ? error.message : String(error), remedy: undefined }
}
