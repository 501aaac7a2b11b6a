/**
 * One line of a commit as an action.
 *
 * Fields this package does not know are kept in `extra`, actions of unknown kinds in `unknown`, so that both can be
 * written again. Source: Delta protocol, "Actions".
 */
import { deltaError } from '../../errors/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../support/index.ts'
import type {
  Action,
  AddCDCFile,
  AddFile,
  CheckpointMetadata,
  DeletionVectorDescriptor,
  DomainMetadata,
  Format,
  Metadata,
  Protocol,
  RemoveFile,
  SetTransaction,
  SidecarFile,
} from './actions.ts'
import { FieldReader } from './read-fields.ts'

const parsers: ReadonlyMap<string, (json: JsonValue | undefined) => Action> = new Map<
  string,
  (json: JsonValue | undefined) => Action
>([
  ['add', (json) => ({ add: parseAdd(json) })],
  ['remove', (json) => ({ remove: parseRemove(json) })],
  ['metaData', (json) => ({ metaData: parseMetadata(json) })],
  ['protocol', (json) => ({ protocol: parseProtocol(json) })],
  ['txn', (json) => ({ txn: parseTransaction(json) })],
  ['domainMetadata', (json) => ({ domainMetadata: parseDomain(json) })],
  ['commitInfo', (json) => ({ commitInfo: parseCommitInfo(json) })],
  ['cdc', (json) => ({ cdc: parseCdc(json) })],
  ['checkpointMetadata', (json) => ({ checkpointMetadata: parseCheckpointMetadata(json) })],
  ['sidecar', (json) => ({ sidecar: parseSidecar(json) })],
])

/**
 * Reads one action.
 *
 * @param json the object of one line: its first member of a known kind that is not null is the action
 * @throws DeltaError `LAKE_ACTION_MALFORMED` naming the kind and the field
 */
export function parseAction(json: JsonValue): Action {
  if (!isJsonObject(json)) throw deltaError('LAKE_ACTION_MALFORMED', { kind: 'line', reason: 'it is not an object' })
  for (const [kind, value] of Object.entries(json)) {
    const parser = parsers.get(kind)
    if (parser !== undefined && value !== null) return parser(value)
  }
  return { unknown: json }
}

function parseAdd(json: JsonValue | undefined): AddFile {
  const fields = new FieldReader('add', json)
  return compact<AddFile>({
    path: fields.requiredPath('path'),
    partitionValues: fields.nullableMap('partitionValues') ?? new Map(),
    size: fields.requiredInteger('size'),
    modificationTime: fields.integer('modificationTime') ?? 0,
    dataChange: fields.flag('dataChange') ?? true,
    stats: fields.text('stats'),
    tags: fields.nullableMap('tags'),
    deletionVector: parseDeletionVector(fields),
    baseRowId: fields.bigint('baseRowId'),
    defaultRowCommitVersion: fields.bigint('defaultRowCommitVersion'),
    clusteringProvider: fields.text('clusteringProvider'),
    extra: fields.extra(),
  })
}

function parseRemove(json: JsonValue | undefined): RemoveFile {
  const fields = new FieldReader('remove', json)
  return compact<RemoveFile>({
    path: fields.requiredPath('path'),
    deletionTimestamp: fields.integer('deletionTimestamp'),
    dataChange: fields.flag('dataChange') ?? true,
    extendedFileMetadata: fields.flag('extendedFileMetadata'),
    partitionValues: fields.nullableMap('partitionValues'),
    size: fields.integer('size'),
    stats: fields.text('stats'),
    tags: fields.nullableMap('tags'),
    deletionVector: parseDeletionVector(fields),
    baseRowId: fields.bigint('baseRowId'),
    defaultRowCommitVersion: fields.bigint('defaultRowCommitVersion'),
    extra: fields.extra(),
  })
}

function parseDeletionVector(owner: FieldReader): DeletionVectorDescriptor | undefined {
  const json = owner.value('deletionVector')
  if (json === undefined) return undefined
  const fields = new FieldReader('deletionVector', json)
  const storageType = fields.requiredText('storageType')
  if (storageType !== 'u' && storageType !== 'i' && storageType !== 'p') {
    return fields.fail('storageType', `is ${storageType}, which is none of u, i, p`)
  }
  return compact<DeletionVectorDescriptor>({
    storageType,
    pathOrInlineDv: fields.requiredText('pathOrInlineDv'),
    offset: fields.integer('offset'),
    sizeInBytes: fields.requiredInteger('sizeInBytes'),
    cardinality: fields.requiredInteger('cardinality'),
  })
}

function parseMetadata(json: JsonValue | undefined): Metadata {
  const fields = new FieldReader('metaData', json)
  return compact<Metadata>({
    id: fields.text('id') ?? '',
    name: fields.text('name'),
    description: fields.text('description'),
    format: parseFormat(fields.value('format')),
    schemaString: fields.text('schemaString'),
    partitionColumns: fields.texts('partitionColumns') ?? [],
    createdTime: fields.integer('createdTime'),
    configuration: fields.map('configuration') ?? new Map(),
    extra: fields.extra(),
  })
}

function parseFormat(json: JsonValue | undefined): Format {
  if (json === undefined) return { provider: 'parquet', options: new Map() }
  const fields = new FieldReader('format', json)
  return { provider: fields.text('provider') ?? 'parquet', options: fields.map('options') ?? new Map() }
}

function parseProtocol(json: JsonValue | undefined): Protocol {
  const fields = new FieldReader('protocol', json)
  return compact<Protocol>({
    minReaderVersion: fields.requiredInteger('minReaderVersion'),
    minWriterVersion: fields.requiredInteger('minWriterVersion'),
    readerFeatures: fields.texts('readerFeatures'),
    writerFeatures: fields.texts('writerFeatures'),
    extra: fields.extra(),
  })
}

function parseTransaction(json: JsonValue | undefined): SetTransaction {
  const fields = new FieldReader('txn', json)
  return compact<SetTransaction>({
    appId: fields.requiredText('appId'),
    version: fields.requiredBigint('version'),
    lastUpdated: fields.integer('lastUpdated'),
  })
}

function parseDomain(json: JsonValue | undefined): DomainMetadata {
  const fields = new FieldReader('domainMetadata', json)
  return {
    domain: fields.requiredText('domain'),
    configuration: fields.text('configuration') ?? '',
    removed: fields.flag('removed') ?? false,
  }
}

function parseCommitInfo(json: JsonValue | undefined): JsonObject {
  if (isJsonObject(json)) return json
  throw deltaError('LAKE_ACTION_MALFORMED', { kind: 'commitInfo', reason: 'it is not an object' })
}

function parseCdc(json: JsonValue | undefined): AddCDCFile {
  const fields = new FieldReader('cdc', json)
  fields.flag('dataChange')
  return compact<AddCDCFile>({
    path: fields.requiredPath('path'),
    partitionValues: fields.nullableMap('partitionValues') ?? new Map(),
    size: fields.requiredInteger('size'),
    dataChange: false,
    tags: fields.nullableMap('tags'),
    extra: fields.extra(),
  })
}

function parseCheckpointMetadata(json: JsonValue | undefined): CheckpointMetadata {
  const fields = new FieldReader('checkpointMetadata', json)
  return compact<CheckpointMetadata>({ version: fields.requiredInteger('version'), tags: fields.nullableMap('tags') })
}

function parseSidecar(json: JsonValue | undefined): SidecarFile {
  const fields = new FieldReader('sidecar', json)
  return compact<SidecarFile>({
    path: fields.requiredPath('path'),
    sizeInBytes: fields.requiredInteger('sizeInBytes'),
    modificationTime: fields.integer('modificationTime') ?? 0,
    tags: fields.nullableMap('tags'),
  })
}

/** Drops members that are undefined, so that an absent field is absent and not undefined. */
function compact<T>(value: { [K in keyof T]: T[K] | undefined }): T {
  // a member deleted would make a dictionary of the object, which is slower and larger; a million of them are held
  const result: Partial<T> = {}
  for (const name in value) {
    const member = value[name]
    if (member !== undefined) result[name] = member
  }
  return result as T
}
