/** ALTER COLUMN SYNC IDENTITY: the mark of an identity column goes to the last number its rows hold. */
import { deltaError } from '../../errors/index.ts'
import { planScan, type Snapshot } from '../../kernel/index.ts'
import type { StructField } from '../../schema/index.ts'
import { JsonNumber, type JsonValue } from '../../support/index.ts'
import type { OperationContext } from '../context.ts'
import { columnPathText } from '../values/index.ts'
import { type ColumnPlace, editField, requireColumn } from './column-place.ts'
import { columnJson, jsonText } from './parameters.ts'
import type { PlanAction } from './plan.ts'

const MARK = 'delta.identity.highWaterMark'

interface Grid {
  readonly start: bigint
  readonly step: bigint
}

/**
 * The mark never goes back, and it stays on the grid of start and step.
 *
 * @throws DeltaError `DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN`, `UNRESOLVED_COLUMN.WITH_SUGGESTION`, what
 * `Engine.scan` throws
 */
export const planSyncIdentity: PlanAction<'sync identity'> = async ({ column }, snapshot, context) => {
  const place = requireColumn(snapshot.schema, column)
  const grid = gridOf(place)
  const last = await lastNumber(place, grid, snapshot, context)
  const mark = laterOf(last === undefined ? undefined : onGrid(last, grid), markOf(place.field), grid)
  const schema =
    mark === undefined
      ? snapshot.schema
      : editField(snapshot.schema, place.path, (f) => ({ ...f, metadata: { ...f.metadata, [MARK]: mark } }))
  const { path, type, nullable, field } = place
  return {
    operation: 'CHANGE COLUMN',
    operationParameters: { column: jsonText(columnJson({ path, type, nullable, metadata: field.metadata })) },
    tags: { 'delta.identity.schemaUpdate': 'true' },
    change: { schema },
    readsTable: true,
  }
}

function gridOf({ field, path }: ColumnPlace): Grid {
  const start = longOf(field.metadata['delta.identity.start'])
  const step = longOf(field.metadata['delta.identity.step'])
  if (start !== undefined && step !== undefined && step !== 0n) return { start, step }
  throw deltaError('DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN', { column: columnPathText(path) })
}

function markOf({ metadata }: StructField): bigint | undefined {
  return longOf(metadata[MARK])
}

function longOf(value: JsonValue | undefined): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return BigInt(value)
  return value instanceof JsonNumber && /^-?\d+$/.test(value.text) ? BigInt(value.text) : undefined
}

/** The greatest number of the rows, or the least where the step goes down. */
async function lastNumber(place: ColumnPlace, grid: Grid, snapshot: Snapshot, { engine, options }: OperationContext) {
  const { store, layout, schema } = snapshot
  const files = await planScan(snapshot, undefined, options.signal ? { signal: options.signal } : {})
  if (files.length === 0) return undefined
  const columns = [schema.fields.findIndex(({ name }) => name === place.path[0])]
  let last: bigint | undefined
  for await (const batch of engine.scan({ store, layout, files, columns }, options)) {
    for (const value of batch.column(0)) if (value !== null) last = laterOf(value as bigint, last, grid)
  }
  return last
}

function laterOf(a: bigint | undefined, b: bigint | undefined, { step }: Grid): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a > b === step > 0n ? a : b
}

/** The number on the grid that is the given one or the next behind it. */
function onGrid(value: bigint, { start, step }: Grid): bigint {
  const steps = (value - start) / step
  const near = start + steps * step
  const isShort = step > 0n ? near < value : near > value
  return isShort ? near + step : near
}
