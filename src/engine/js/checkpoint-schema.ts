/** The columns of a checkpoint, as types. Source: Delta protocol, "Checkpoint Schema". */
import type { ActionKind, CheckpointStatistics, CheckpointWriteOptions } from '../../kernel/index.ts'
import {
  arrayType,
  booleanType,
  type DataType,
  field,
  integerType,
  longType,
  mapType,
  type StructField,
  type StructType,
  stringType,
  structType,
} from '../../schema/index.ts'

const texts = mapType(stringType, stringType)

function struct(members: Readonly<Record<string, DataType>>): DataType {
  return structType(Object.entries(members).map(([name, type]) => field(name, type)))
}

const deletionVector = struct({
  storageType: stringType,
  pathOrInlineDv: stringType,
  offset: integerType,
  sizeInBytes: integerType,
  cardinality: longType,
})

const types = {
  txn: struct({ appId: stringType, version: longType, lastUpdated: longType }),
  add: struct({
    path: stringType,
    partitionValues: texts,
    size: longType,
    modificationTime: longType,
    dataChange: booleanType,
    stats: stringType,
    tags: texts,
    deletionVector,
    baseRowId: longType,
    defaultRowCommitVersion: longType,
    clusteringProvider: stringType,
  }),
  remove: struct({
    path: stringType,
    deletionTimestamp: longType,
    dataChange: booleanType,
    extendedFileMetadata: booleanType,
    partitionValues: texts,
    size: longType,
    deletionVector,
    baseRowId: longType,
    defaultRowCommitVersion: longType,
  }),
  metaData: struct({
    id: stringType,
    name: stringType,
    description: stringType,
    format: struct({ provider: stringType, options: texts }),
    schemaString: stringType,
    partitionColumns: arrayType(stringType),
    configuration: texts,
    createdTime: longType,
  }),
  protocol: struct({
    minReaderVersion: integerType,
    minWriterVersion: integerType,
    readerFeatures: arrayType(stringType),
    writerFeatures: arrayType(stringType),
  }),
  domainMetadata: struct({ domain: stringType, configuration: stringType, removed: booleanType }),
  checkpointMetadata: struct({ version: longType, tags: texts }),
  sidecar: struct({ path: stringType, sizeInBytes: longType, modificationTime: longType, tags: texts }),
} as const satisfies Partial<Record<ActionKind, DataType>>

export type CheckpointKind = keyof typeof types

/** The kinds a checkpoint holds, in the order of its columns. */
export const CHECKPOINT_KINDS = Object.keys(types) as readonly CheckpointKind[]

export function isCheckpointKind(kind: ActionKind): kind is CheckpointKind {
  return Object.hasOwn(types, kind)
}

/** The member every action of a kind has: where it is null there is no action. */
export const REQUIRED_MEMBER: Readonly<Record<CheckpointKind, string>> = {
  txn: 'appId',
  add: 'path',
  remove: 'path',
  metaData: 'id',
  protocol: 'minReaderVersion',
  domainMetadata: 'domain',
  checkpointMetadata: 'version',
  sidecar: 'path',
}

export function checkpointColumn(kind: CheckpointKind): StructField {
  return field(kind, types[kind])
}

export const PARSED_STATS = 'stats_parsed'
export const PARSED_PARTITION_VALUES = 'partitionValues_parsed'

const V2_ONLY: readonly CheckpointKind[] = ['checkpointMetadata', 'sidecar']
const SIDECAR: readonly CheckpointKind[] = ['add', 'remove']

/** The columns of a checkpoint that is written. */
export function checkpointColumns({ content, statistics }: CheckpointWriteOptions): readonly StructField[] {
  const kinds = CHECKPOINT_KINDS.filter((kind) => {
    return content === 'sidecar' ? SIDECAR.includes(kind) : content === 'v2' || !V2_ONLY.includes(kind)
  })
  return kinds.map((kind) => (kind === 'add' ? addColumn(statistics) : checkpointColumn(kind)))
}

function addColumn({ text, typed }: CheckpointStatistics = { text: true }): StructField {
  const { fields } = types.add as StructType
  return field(
    'add',
    structType([
      ...fields.filter(({ name }) => text || name !== 'stats'),
      ...(typed?.partitionValues ? [field(PARSED_PARTITION_VALUES, typed.partitionValues)] : []),
      ...(typed ? [field(PARSED_STATS, typed.statistics)] : []),
    ]),
  )
}
