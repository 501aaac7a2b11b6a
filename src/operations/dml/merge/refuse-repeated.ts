/** Rows of the table that several rows of the source change. */
import { joinKeys, type RepeatedMatches } from '../../../engine/index.ts'
import { deltaError } from '../../../errors/index.ts'
import { type DataType, valueToJson } from '../../../schema/index.ts'
import type { BoundMerge } from './bind-merge.ts'

/** @throws DeltaError `DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE` with the keys of one such row */
export function refuseRepeated(repeated: RepeatedMatches | undefined, { condition, width }: BoundMerge): void {
  if (repeated === undefined) return
  const keys = joinKeys(condition, width)
  const [example] = repeated.examples
  const named = keys.map(({ source }, i) => {
    const name = source.kind === 'column' ? source.path.join('.') : 'the key'
    return `${name} = ${valueToJson(example?.[i] ?? null, source.type as DataType)}`
  })
  const rows = `${repeated.examples.length} of them`
  const examples =
    named.length === 0 ? 'the condition names no key' : `the source has ${rows} with ${named.join(' and ')}`
  throw deltaError('DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE', { count: repeated.count, examples })
}
