/** What a table is, from its log alone. */
import { type DeltaError, isDeltaError } from '../errors/index.ts'
import { beginTransaction, loadTableFacts, type Protocol, type Snapshot, type TableFacts } from '../kernel/index.ts'
import { parseSchema, structType } from '../schema/index.ts'
import { clusteringPaths } from './clustering.ts'
import type { DescribeCommand, DetailCommand, TableDescription, TableDetail } from './command.ts'
import type { OperationContext } from './context.ts'
import { columnPathText } from './values/index.ts'

/** Whether a log lies at the table's address; a store that cannot be reached is an error, not a no. */
export async function executeExists(context: OperationContext): Promise<boolean> {
  return await context.exists()
}

/** A table whose rows cannot be read is described all the same, by its protocol and metadata. */
export async function executeDescribe(command: DescribeCommand, context: OperationContext): Promise<TableDescription> {
  const describe = async (snapshot: Snapshot): Promise<TableDescription> => ({
    version: snapshot.version,
    timestampMs: snapshot.timestampMs,
    schema: snapshot.schema,
    partitionColumns: snapshot.partitionColumns,
    configuration: snapshot.configuration,
    protocol: snapshot.protocol,
    unreadableFeatures: [],
  })
  return await orUnreadable(command, context, describe, ({ facts, unreadableFeatures }) => ({
    version: facts.version,
    timestampMs: facts.timestampMs,
    schema: facts.metadata.schemaString === undefined ? structType([]) : parseSchema(facts.metadata.schemaString),
    partitionColumns: facts.metadata.partitionColumns,
    configuration: facts.metadata.configuration,
    protocol: facts.protocol,
    unreadableFeatures,
  }))
}

/** The same of DESCRIBE DETAIL; files are not counted where they are not known. */
export async function executeDetail(command: DetailCommand, context: OperationContext): Promise<TableDetail> {
  const location = context.store.location
  const detail = async (snapshot: Snapshot): Promise<TableDetail> => {
    const { numFiles, sizeInBytes } = await snapshot.files.totals()
    return {
      ...detailOf(snapshot, location),
      clusteringColumns: clusteringPaths(snapshot).map(columnPathText),
      numFiles,
      sizeInBytes,
      unwritableFeatures: unwritableFeatures(snapshot),
      unreadableFeatures: [],
    }
  }
  return await orUnreadable(command, context, detail, ({ facts, unreadableFeatures }) => ({
    ...detailOf(facts, location),
    clusteringColumns: [],
    numFiles: null,
    sizeInBytes: null,
    unwritableFeatures: unreadableFeatures,
    unreadableFeatures,
  }))
}

function detailOf({ metadata, protocol, timestampMs, version }: TableFacts, location: string) {
  return {
    format: 'delta',
    id: metadata.id,
    name: metadata.name ?? null,
    description: metadata.description ?? null,
    location,
    createdAt: metadata.createdTime ?? null,
    lastModified: timestampMs,
    partitionColumns: metadata.partitionColumns,
    properties: metadata.configuration,
    minReaderVersion: protocol.minReaderVersion,
    minWriterVersion: protocol.minWriterVersion,
    tableFeatures: featureNames(protocol),
    version,
  } as const
}

interface Unreadable {
  readonly facts: TableFacts
  readonly unreadableFeatures: readonly string[]
}

async function orUnreadable<T>(
  { at }: DescribeCommand | DetailCommand,
  context: OperationContext,
  read: (snapshot: Snapshot) => Promise<T>,
  otherwise: (found: Unreadable) => T,
): Promise<T> {
  try {
    return await context.withSnapshot(at, read)
  } catch (error) {
    const unreadableFeatures = lackedFeatures(error)
    if (unreadableFeatures === undefined) throw error
    const { signal } = context.options
    const facts = await loadTableFacts(context.store, context.engine, { ...at, ...(signal && { signal }) })
    return otherwise({ facts, unreadableFeatures })
  }
}

/** @returns undefined where the error says something else than that rows cannot be read */
function lackedFeatures(error: unknown): readonly string[] | undefined {
  if (isDeltaError(error, 'DELTA_INVALID_PROTOCOL_VERSION')) return [`reader version ${String(error.details.reader)}`]
  return isDeltaError(error, 'DELTA_UNSUPPORTED_FEATURES_FOR_READ') ? listedFeatures(error) : undefined
}

function listedFeatures({ details: { features } }: DeltaError): readonly string[] {
  return Array.isArray(features) ? features.map(String) : [String(features)]
}

/** Asks the gate of transactions itself, so that the answer is the one a write gets. */
export function unwritableFeatures(snapshot: Snapshot): readonly string[] {
  try {
    beginTransaction(snapshot, { operation: 'WRITE' })
    return []
  } catch (error) {
    if (!isDeltaError(error, 'DELTA_UNSUPPORTED_FEATURES_FOR_WRITE')) throw error
    return listedFeatures(error)
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
