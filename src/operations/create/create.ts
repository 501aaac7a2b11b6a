/** Makes a table, empty or from rows, or puts another in its place. A table that is replaced keeps its history. */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import {
  type AddFile,
  beginCreate,
  canonicalKey,
  type DomainMetadata,
  planReplacement,
  planScan,
  requireCommitted,
  type Snapshot,
  type TableSpec,
  type Transaction,
} from '../../kernel/index.ts'
import type { StructType } from '../../schema/index.ts'
import { type JsonObject, printJson } from '../../support/index.ts'
import { CLUSTERING_DOMAIN, clusteringDomain, clusteringPaths } from '../clustering.ts'
import type { CreateCommand, CreateResult } from '../command.ts'
import { beginChange, signed, tryCommit } from '../commit.ts'
import type { OperationContext } from '../context.ts'
import { takeNumbers } from '../rules/index.ts'
import { dottedName } from '../values/index.ts'
import { type PreparedSource, prepareSource } from '../write/prepare-source.ts'
import { writeRuled } from '../write/ruled-write.ts'
import { deleteFiles } from '../write/write.ts'
import { addFileOf } from '../write/write-plan.ts'
import { checkDeclaredColumns } from './declared-columns.ts'

/**
 * @throws DeltaError `DELTA_TABLE_ALREADY_EXISTS`, `TABLE_OR_VIEW_NOT_FOUND` for a table that was to be replaced,
 * `DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION`, those of `planNewTable`, `checkDeclaredColumns` and
 * `clusteringDomain`
 */
export async function executeCreate(command: CreateCommand, context: OperationContext): Promise<CreateResult> {
  const isThere = await context.exists()
  if (isThere && command.ifExists === 'ignore') return await existing(context)
  if (isThere && command.ifExists === 'replace') {
    return await context.withSnapshot(undefined, (snapshot) => replaceTable(snapshot, command, context))
  }
  if (!isThere && command.mustExist) throw deltaError('TABLE_OR_VIEW_NOT_FOUND', { path: context.location })
  return await createNew(command, context)
}

async function existing(context: OperationContext): Promise<CreateResult> {
  return await context.withSnapshot(undefined, async ({ version }) => ({ created: false, version }))
}

async function createNew(command: CreateCommand, context: OperationContext): Promise<CreateResult> {
  const { store, engine, clock } = context
  const { spec, source } = await planTable(command, context)
  const options = { ...signed(context, { ...tellCommit(command) }), clock }
  const transaction = clustered(beginCreate(store, engine, spec, options), command)
  try {
    return { created: true, version: await fillAndCommit({ transaction, command, source, context }) }
  } catch (error) {
    const isLost = isDeltaError(error, 'DELTA_TABLE_ALREADY_EXISTS')
    if (isLost && command.ifExists === 'ignore') return await existing(context)
    throw error
  }
}

async function replaceTable(
  snapshot: Snapshot,
  command: CreateCommand,
  context: OperationContext,
): Promise<CreateResult> {
  const { clock, location, options } = context
  if ((command.partitionBy ?? []).length > 0 && clusteringPaths(snapshot).length > 0) {
    throw deltaError('DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE', { path: location })
  }
  const { spec, source } = await planTable({ ...command, properties: keptProperties(snapshot, command) }, context)
  const planned = planReplacement(snapshot, spec, { nowMs: clock.now(), path: location })
  const removed = await planScan(snapshot, undefined, options.signal ? { signal: options.signal } : {})
  let transaction = beginChange(snapshot, context, tellCommit(command)).setMetadata(planned.metadata)
  if (planned.protocol !== undefined) transaction = transaction.setProtocol(planned.protocol)
  transaction = clustered(transaction, command).readsTable().removeFiles(removed)
  return { created: true, version: await fillAndCommit({ transaction, command, source, context, removed }) }
}

const VECTORS = 'delta.enableDeletionVectors'

/** Properties go with the table that is replaced, but that which turns deletion vectors on, as in the reference. */
function keptProperties(
  { configuration }: Snapshot,
  { properties = new Map<string, string>() }: CreateCommand,
): ReadonlyMap<string, string> {
  const vectors = configuration.get(VECTORS)
  const isSet = [...properties.keys()].some((key) => canonicalKey(key) === VECTORS)
  return vectors === undefined || isSet ? properties : new Map([...properties, [VECTORS, vectors]])
}

interface PlannedTable {
  readonly spec: TableSpec
  readonly source: PreparedSource | undefined
}

async function planTable(command: CreateCommand, context: OperationContext): Promise<PlannedTable> {
  const { partitionBy = [], properties = new Map<string, string>(), name, description, rows, clusterBy = [] } = command
  refuseFeatures(properties, context.location)
  const needs = { known: command.schema, growing: false, location: context.location, engine: context.engine }
  const source = rows && (await prepareSource(rows, needs))
  const schema = (command.schema ?? source?.schema)!
  checkDeclaredColumns({ schema, partitionBy, properties })
  const spec = {
    schema,
    partitionColumns: partitionBy,
    configuration: properties,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(clusterBy.length > 0 && { domains: clusteringOf(schema, command) }),
  }
  return { spec, source }
}

function refuseFeatures(properties: ReadonlyMap<string, string>, path: string): void {
  for (const key of properties.keys()) {
    const lower = key.toLowerCase()
    if (lower === 'delta.feature.clustering') {
      throw deltaError('DELTA_CREATE_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED')
    }
    if (lower === 'delta.feature.catalogmanaged') {
      throw deltaError('DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION', { path })
    }
  }
}

/** By the names the columns have for users; the table's own names for them are known when it is planned. */
function clusteringOf(
  schema: StructType,
  { clusterBy = [], partitionBy = [] }: CreateCommand,
): ReadonlyMap<string, DomainMetadata> {
  if (partitionBy.length > 0) throw deltaError('DELTA_CLUSTER_BY_WITH_PARTITIONED_BY')
  return new Map([[CLUSTERING_DOMAIN, clusteringDomain(clusterBy, schema, 'none')]])
}

/** The transaction with the clustering columns by the names files have for them; a table that had some says it has none. */
function clustered(transaction: Transaction, { clusterBy = [] }: CreateCommand): Transaction {
  const { layout, base } = transaction
  if (clusterBy.length === 0 && !base.snapshot?.domains.has(CLUSTERING_DOMAIN)) return transaction
  return transaction.setDomain(clusteringDomain(clusterBy, layout.schema, layout.columnMapping))
}

function tellCommit(command: CreateCommand): { operation: string; userMetadata?: string } {
  const { ifExists, mustExist, rows, userMetadata } = command
  const verb = ifExists !== 'replace' ? 'CREATE' : mustExist ? 'REPLACE' : 'CREATE OR REPLACE'
  return {
    operation: `${verb} TABLE${rows === undefined ? '' : ' AS SELECT'}`,
    ...(userMetadata !== undefined && { userMetadata }),
  }
}

interface FillTask {
  readonly transaction: Transaction
  readonly command: CreateCommand
  readonly source: PreparedSource | undefined
  readonly context: OperationContext
  /** of a table that is replaced */
  readonly removed?: readonly AddFile[]
}

async function fillAndCommit({ transaction, command, source, context, removed }: FillTask): Promise<number> {
  const told = transaction.setParameters(parametersOf(transaction, command))
  if (source === undefined) return requireCommitted(await tryCommit(told, context))
  const { written, numbers } = await writeRuled(source, told, { context })
  const metrics = {
    numFiles: written.files.length,
    ...(removed !== undefined && { numRemovedFiles: removed.length, numRemovedBytes: bytesOf(removed) }),
    numOutputRows: written.numRows,
    numOutputBytes: bytesOf(written.files),
  }
  const full = takeNumbers(told, numbers).addFiles(written.files.map(addFileOf)).setMetrics(metrics)
  try {
    return requireCommitted(await tryCommit(full, context))
  } catch (error) {
    if (!isDeltaError(error, 'LAKE_COMMIT_UNKNOWN')) await deleteFiles(written, context)
    throw error
  }
}

function bytesOf(files: readonly { readonly size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}

/** As the reference writes them: JSON in texts, the description bare or null; properties as they are stored. */
function parametersOf({ metadata, domains, layout }: Transaction, { description }: CreateCommand): JsonObject {
  return {
    partitionBy: printJson(metadata.partitionColumns),
    clusterBy: printJson(clusteringPaths({ domains, layout }).map(dottedName)),
    description: description ?? null,
    isManaged: 'false',
    properties: printJson(Object.fromEntries(metadata.configuration)),
  }
}
