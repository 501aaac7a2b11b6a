/** What a table is, from its log alone. */
import { isDeltaError } from '../errors/index.ts'
import { beginTransaction, isDeltaTable, type Protocol, type Snapshot } from '../kernel/index.ts'
import { clusteringPaths } from './clustering.ts'
import type { DescribeCommand, DetailCommand, TableDescription, TableDetail } from './command.ts'
import type { OperationContext } from './context.ts'
import { columnPathText } from './values/index.ts'

/** Whether a log lies at the table's address; a store that cannot be reached is an error, not a no. */
export async function executeExists(context: OperationContext): Promise<boolean> {
  return await isDeltaTable(context.store, context.options.signal ? { signal: context.options.signal } : {})
}

export async function executeDescribe(command: DescribeCommand, context: OperationContext): Promise<TableDescription> {
  return await context.withSnapshot(command.at, async (snapshot) => ({
    version: snapshot.version,
    timestampMs: snapshot.timestampMs,
    schema: snapshot.schema,
    partitionColumns: snapshot.partitionColumns,
    configuration: snapshot.configuration,
    protocol: snapshot.protocol,
  }))
}

export async function executeDetail(command: DetailCommand, context: OperationContext): Promise<TableDetail> {
  return await context.withSnapshot(command.at, async (snapshot) => detailOf(snapshot))
}

async function detailOf(snapshot: Snapshot): Promise<TableDetail> {
  const { metadata, protocol } = snapshot
  const files = await snapshot.files.totals()
  return {
    format: 'delta',
    id: metadata.id,
    name: metadata.name ?? null,
    description: metadata.description ?? null,
    location: snapshot.store.location,
    createdAt: metadata.createdTime ?? null,
    lastModified: snapshot.timestampMs,
    partitionColumns: metadata.partitionColumns,
    clusteringColumns: clusteringPaths(snapshot).map(columnPathText),
    numFiles: files.numFiles,
    sizeInBytes: files.sizeInBytes,
    properties: metadata.configuration,
    minReaderVersion: protocol.minReaderVersion,
    minWriterVersion: protocol.minWriterVersion,
    tableFeatures: featureNames(protocol),
    version: snapshot.version,
    unwritableFeatures: unwritableFeatures(snapshot),
  }
}

/** Asks the gate of transactions itself, so that the answer is the one a write gets. */
function unwritableFeatures(snapshot: Snapshot): readonly string[] {
  try {
    beginTransaction(snapshot, { operation: 'WRITE' })
    return []
  } catch (error) {
    if (!isDeltaError(error, 'DELTA_UNSUPPORTED_FEATURES_FOR_WRITE')) throw error
    const { features } = error.details
    return Array.isArray(features) ? features.map(String) : [String(features)]
  }
}

/** Features a legacy version stands for, by the version that brings each. */
const LEGACY_FEATURES: readonly (readonly [name: string, writerVersion: number])[] = [
  ['appendOnly', 2],
  ['invariants', 2],
  ['checkConstraints', 3],
  ['changeDataFeed', 4],
  ['generatedColumns', 4],
  ['columnMapping', 5],
  ['identityColumns', 6],
]

/** The features listed by a protocol, or those its version stands for; in the order of their names. */
export function featureNames(protocol: Protocol): readonly string[] {
  const listed = new Set([...(protocol.readerFeatures ?? []), ...(protocol.writerFeatures ?? [])])
  if (protocol.writerFeatures === undefined) {
    for (const [name, version] of LEGACY_FEATURES) if (protocol.minWriterVersion >= version) listed.add(name)
  }
  return [...listed].sort()
}
