/** Invariants, checked in production too. */
import { deltaError } from './delta-error.ts'

/**
 * Stops when an invariant of this package does not hold.
 *
 * @throws DeltaError `LAKE_INTERNAL`
 */
export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw deltaError('LAKE_INTERNAL', { what })
}
