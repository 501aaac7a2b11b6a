/** The refusal of something that this package names and does not do. */
import { type DeltaError, deltaError } from '../errors/index.ts'

/**
 * @param what the thing, as the subject of "… is not supported in an expression"
 * @param advice what to do instead
 */
export function unsupported(what: string, advice: string): DeltaError {
  return deltaError('LAKE_EXPRESSION_UNSUPPORTED', { what, advice })
}
