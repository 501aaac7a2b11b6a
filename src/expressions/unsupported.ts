/** The refusal of something that this package names and does not do. */
import { type DeltaError, deltaError } from '../errors/index.ts'

/** What is refused, for those who have names of their own for it: `details.construct` of the error. */
export type RefusedConstruct = 'subquery' | 'random' | 'aggregate'

export interface ForeignForm {
  readonly what: string
  readonly advice: string
  readonly construct?: RefusedConstruct
}

/**
 * @param what the thing, as the subject of "… is not supported in an expression"
 * @param advice what to do instead
 */
export function unsupported(what: string, advice: string, construct?: RefusedConstruct): DeltaError {
  return deltaError('LAKE_EXPRESSION_UNSUPPORTED', { what, advice, ...(construct && { construct }) })
}
