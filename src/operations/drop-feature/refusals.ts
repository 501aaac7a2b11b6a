/** Refusals that several files give. */
import { type DeltaError, deltaError } from '../../errors/index.ts'

/** @param reason what is missing, as a clause */
export function unsupported(feature: string, reason: string): DeltaError {
  return deltaError('DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE', { feature, reason })
}
