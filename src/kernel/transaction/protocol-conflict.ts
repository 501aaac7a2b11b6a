/** Which protocol changes of others a transaction cannot live with. */
import type { Protocol } from '../actions/actions.ts'
import { featuresOf, findFeature } from '../features/index.ts'

/** Whether a winner dropped a feature, or added one whose rules bind commits that were planned without it. */
export function abortsConcurrentCommits(before: Protocol, after: Protocol): boolean {
  const [old, now] = [featuresOf(before), featuresOf(after)]
  if ([...old].some((name) => !now.has(name))) return true
  return [...now].some((name) => !old.has(name) && findFeature(name)?.abortsConcurrent === true)
}
