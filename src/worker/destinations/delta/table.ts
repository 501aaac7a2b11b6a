/**
 * The table a destination writes: opened or created, checked, given the columns it lacks, and followed from then on.
 *
 * What is kept of it is a snapshot, refreshed by its new commits alone, and the plan by which rows are written.
 */
import type { Engine, WritePlan } from '../../../engine/index.ts'
import { type DeltaError, deltaError, isDeltaError } from '../../../errors/index.ts'
import {
  beginTransaction,
  createTable,
  isDeltaTable,
  loadSnapshot,
  type Protocol,
  requireCommitted,
  type Snapshot,
} from '../../../kernel/index.ts'
import { ENGINE_INFO, writePlanOf } from '../../../operations/index.ts'
import type { StructType } from '../../../schema/index.ts'
import type { ObjectStore } from '../../../storage/index.ts'
import { metadataWithColumns, protocolFor } from './add-columns.ts'
import { faultOfProtocol, faultsOfTable } from './check-table.ts'
import { fitRecord } from './fit-record.ts'

export interface TableOptions {
  readonly store: ObjectStore
  readonly engine: Engine
  /** the columns of the record; undefined when no route leads here */
  readonly record: StructType | undefined
  readonly partitionBy: readonly string[]
  readonly compression: 'zstd' | 'snappy' | 'none'
  /** a table that is not there is refused, not created */
  readonly mustExist: boolean
  readonly onWarning: (text: string) => void
}

export class DestinationTable {
  readonly options: TableOptions
  snapshot: Snapshot
  plan: WritePlan

  private constructor(options: TableOptions, snapshot: Snapshot) {
    this.options = options
    this.snapshot = snapshot
    this.plan = this.planOf(snapshot)
  }

  /** @throws DeltaError a `WORKER_TABLE_…` code, `LAKE_STORAGE_…`, what `loadSnapshot` throws */
  static async open(options: TableOptions): Promise<DestinationTable> {
    const table = new DestinationTable(options, await loadOrCreate(options))
    const fault = faultOf(table.snapshot, options.record)
    if (fault !== undefined) throw fault
    await table.addColumns()
    return table
  }

  /**
   * Looks whether `open` would succeed, and writes nothing.
   *
   * @throws as `open`
   */
  static async check(options: TableOptions): Promise<void> {
    const { store, engine, record, onWarning } = options
    if (!(await isDeltaTable(store))) {
      if (options.mustExist) throw missing(store)
      return
    }
    const snapshot = await loadTable(store, engine, onWarning)
    const fault = faultOf(snapshot, record)
    await snapshot.close()
    if (fault !== undefined) throw fault
  }

  /** Adds what the record has and the table lacks, before any file is written. */
  private async addColumns(): Promise<void> {
    const { record } = this.options
    for (let losses = 0; record !== undefined; losses++) {
      const { schema, added } = fitRecord(record, this.snapshot.schema)
      if (added.length === 0) return
      const protocol = protocolFor(this.snapshot.protocol, schema)
      const fault = protocol === undefined ? undefined : faultOfProtocol(protocol)
      if (fault !== undefined) throw fault
      const outcome = await this.commitColumns(schema, added, protocol)
      if (outcome.kind !== 'conflict') requireCommitted(outcome)
      else if (losses >= 8) throw deltaError('WORKER_COMMIT_LOST', {}, { cause: outcome.error })
      // the winner may have added some of the columns; what is still missing is added on top of it
      await this.follow(await this.snapshot.refresh())
      const contradiction = faultOf(this.snapshot, record)
      if (contradiction !== undefined) throw contradiction
    }
  }

  private commitColumns(schema: StructType, added: readonly string[], protocol: Protocol | undefined) {
    const metadata = metadataWithColumns(this.snapshot.metadata, schema)
    const columns = JSON.stringify(added.map((column) => ({ column })))
    const options = { operation: 'ADD COLUMNS', operationParameters: { columns }, engineInfo: ENGINE_INFO }
    const transaction = beginTransaction(this.snapshot, options).setMetadata(metadata)
    return (protocol === undefined ? transaction : transaction.setProtocol(protocol)).commit()
  }

  /**
   * Takes in the commits of others.
   *
   * @throws DeltaError `WORKER_TABLE_CHANGED` when the table no longer takes what is written here, or the
   * `WORKER_TABLE_…` that says what it asks for now; the table stays as it was known, so that the next call looks again
   */
  async refresh(): Promise<void> {
    const before = this.snapshot
    const after = await before.refresh()
    if (after === before) return
    if (after.metadata !== before.metadata || after.protocol !== before.protocol) {
      const fault = faultOfProtocol(after.protocol) ?? this.faultOfChange(before, after)
      if (fault !== undefined) {
        await after.close()
        throw fault
      }
    }
    await this.follow(after)
  }

  private async follow(after: Snapshot): Promise<void> {
    const before = this.snapshot
    if (after === before) return
    if (after.metadata !== before.metadata || after.protocol !== before.protocol) this.plan = this.planOf(after)
    this.snapshot = after
    await before.close()
  }

  /** Columns may have been added and properties set; every field of the record must be where it was. */
  private faultOfChange(before: Snapshot, after: Snapshot): DeltaError | undefined {
    const { record } = this.options
    const isSameTable = before.metadata.id === after.metadata.id
    const isSamePartitioning =
      JSON.stringify(before.metadata.partitionColumns) === JSON.stringify(after.metadata.partitionColumns)
    const changed = deltaError('WORKER_TABLE_CHANGED', { version: after.version })
    if (!isSameTable || !isSamePartitioning) return changed
    if (record !== undefined && fitRecord(record, after.schema).added.length > 0) return changed
    return faultOf(after, record)
  }

  private planOf({ store, layout, configuration }: Snapshot): WritePlan {
    const plan = writePlanOf({ store, layout, configuration })
    if (configuration.has('delta.parquet.compression.codec')) return plan
    const { compression } = this.options
    return { ...plan, compression: compression === 'none' ? 'uncompressed' : compression }
  }
}

/** Why the table cannot take the record; columns it lacks are no fault. */
function faultOf(snapshot: Snapshot, record: StructType | undefined): DeltaError | undefined {
  return faultsOfTable(snapshot)[0] ?? (record === undefined ? undefined : fitRecord(record, snapshot.schema).faults[0])
}

function missing({ location }: ObjectStore): DeltaError {
  return deltaError('WORKER_TABLE_MISSING', { location })
}

async function loadOrCreate(options: TableOptions): Promise<Snapshot> {
  const { store, engine, record, partitionBy, mustExist, onWarning } = options
  if (mustExist && !(await isDeltaTable(store))) throw missing(store)
  if (record !== undefined && !(await isDeltaTable(store))) {
    const operationParameters = {
      partitionBy: JSON.stringify(partitionBy),
      clusterBy: '[]',
      description: null,
      isManaged: 'false',
      properties: '{}',
    }
    const outcome = await createTable(
      store,
      engine,
      { schema: record, partitionColumns: partitionBy },
      { operation: 'CREATE TABLE', operationParameters, engineInfo: ENGINE_INFO },
    )
    // Another worker may have been first; its table is taken like one that was there before.
    const isTaken = outcome.kind === 'conflict' && isDeltaError(outcome.error, 'DELTA_TABLE_ALREADY_EXISTS')
    if (!isTaken) requireCommitted(outcome)
  }
  return loadTable(store, engine, onWarning)
}

const PROTOCOL_REFUSALS = [
  'DELTA_UNSUPPORTED_FEATURES_FOR_READ',
  'DELTA_INVALID_PROTOCOL_VERSION',
  'LAKE_CATALOG_COMMITS_NEEDED',
] as const

/** What the reader refuses by the table's features is refused in this destination's words. */
async function loadTable(store: ObjectStore, engine: Engine, onWarning: (text: string) => void): Promise<Snapshot> {
  try {
    return await loadSnapshot(store, engine, { onWarning })
  } catch (cause) {
    if (isDeltaError(cause, ...PROTOCOL_REFUSALS)) {
      const { reader = 3, writer = 7, features = 'none' } = cause.details
      throw deltaError('WORKER_TABLE_PROTOCOL', { reader, writer, features }, { cause })
    }
    throw cause
  }
}
