/** Where an engine puts a data file of a plan. */
import { type PartitionValues, partitionDirectory, physicalName } from '../kernel/index.ts'
import { findField } from '../schema/index.ts'
import type { WritePlan } from './engine.ts'

const CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/**
 * The folder of a new file: the plan's own, then one for the partition or, where the plan asks for it, one of a random
 * name, so that requests spread over the partitions of an object store.
 *
 * @param values as the log has them, by physical name
 * @returns decoded key prefix ending in `/`, or the empty text
 */
export function dataFolder({ directory, randomPrefixLength, layout }: WritePlan, values: PartitionValues): string {
  const folder = directory === undefined ? '' : `${directory}/`
  if (randomPrefixLength !== undefined) return `${folder}${randomText(randomPrefixLength)}/`
  const named = layout.partitionColumns.map((name) => {
    const physical = physicalName(findField(layout.schema, name)!, layout)
    return [name, values.get(physical) ?? null] as const
  })
  return folder + partitionDirectory(named)
}

function randomText(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length))
  return Array.from(bytes, (byte) => CHARACTERS[byte % CHARACTERS.length]).join('')
}
