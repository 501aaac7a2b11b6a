/** What must hold of a commit before anything is written. */
import { assert, deltaError } from '../../errors/index.ts'
import type { AddFile } from '../actions/actions.ts'
import { physicalName } from '../column-mapping/index.ts'
import { property } from '../properties/index.ts'
import { fileKey, fileKeyText } from '../snapshot/replay-key.ts'
import { numRecordsOf } from '../statistics/num-records.ts'
import type { Transaction } from './transaction.ts'

/** Operations that may take rows out of an append-only table; FSCK takes out those that are lost. */
const ALLOWED_ON_APPEND_ONLY: ReadonlySet<string> = new Set(['RESTORE', 'FSCK'])

/**
 * @throws DeltaError `DELTA_CANNOT_MODIFY_APPEND_ONLY`; `LAKE_INTERNAL` for a plan no operation may make
 */
export function validatePlan(transaction: Transaction): void {
  const { plan, metadata, options, base } = transaction
  const removesRows = plan.removes.some((remove) => remove.dataChange)
  if (removesRows && property(metadata.configuration, 'appendOnly') && !ALLOWED_ON_APPEND_ONLY.has(options.operation)) {
    throw deltaError('DELTA_CANNOT_MODIFY_APPEND_ONLY', { path: base.store.location })
  }
  assertUnique([...plan.adds, ...plan.refreshed], 'added')
  assertUnique(plan.removes, 'removed')
  const columns = partitionNames(transaction)
  for (const add of plan.adds) validateAdd(add, columns)
}

function assertUnique(files: readonly Pick<AddFile, 'path' | 'deletionVector'>[], what: string): void {
  const seen = new Set<string>()
  for (const file of files) {
    const key = fileKeyText(fileKey(file as AddFile))
    assert(!seen.has(key), `the file ${file.path} is ${what} once in a commit`)
    seen.add(key)
  }
}

function partitionNames(transaction: Transaction): readonly string[] {
  if (transaction.plan.adds.length === 0 || transaction.metadata.partitionColumns.length === 0) return []
  const { schema, partitionColumns, columnMapping } = transaction.layout
  return partitionColumns.map((name) => {
    const field = schema.fields.find((candidate) => candidate.name === name)
    assert(field !== undefined, `the partition column ${name} is in the schema`)
    return physicalName(field, { columnMapping })
  })
}

function validateAdd(add: AddFile, partitionColumns: readonly string[]): void {
  assert(Number.isSafeInteger(add.size) && add.size >= 0, `the file ${add.path} has a size`)
  assert(
    add.partitionValues.size === partitionColumns.length && partitionColumns.every((c) => add.partitionValues.has(c)),
    `the file ${add.path} has a value for each partition column and no other`,
  )
  if (add.deletionVector !== undefined) {
    assert(numRecordsOf(add.stats) !== undefined, `the file ${add.path} with a deletion vector carries numRecords`)
  }
}
