/**
 * A replay checked against the version checksum that its writer left beside the commit.
 *
 * The checksum never changes the answer: one that is damaged, or that says otherwise, is told of by a warning. Source:
 * Delta protocol, "Version Checksum File".
 */
import { causeText, isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { decodeUtf8, isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../support/index.ts'
import type { Metadata, Protocol } from '../actions/actions.ts'
import { parseAction } from '../actions/index.ts'
import type { LogFile, WarningList } from '../log/index.ts'
import type { FileTotals } from './file-index.ts'
import type { TableState } from './table-state.ts'

/** Checksums can list every file of a table; beyond this they are not worth their bytes. */
const MAX_BYTES = 16 * 1024 * 1024

/** What a writer says that a version comes to. */
export interface VersionChecksum {
  readonly key: string
  readonly numFiles: number
  readonly tableSizeBytes: number
  /** these are absent where the writer left them out, as older ones do */
  readonly metadata?: Metadata
  readonly protocol?: Protocol
  readonly transactions?: readonly string[]
  readonly domains?: readonly string[]
}

export type ReplayedTable = Pick<TableState, 'metadata' | 'protocol' | 'transactions' | 'domains'>

/**
 * Reads a checksum.
 *
 * @returns undefined where there is none that can be used; the latter with a warning
 * @throws StorageError what the store throws, other than for a missing object; `LAKE_CANCELLED`
 */
export async function readChecksum(
  store: ObjectStore,
  file: LogFile | undefined,
  { warnings, signal }: { readonly warnings: WarningList; readonly signal?: AbortSignal },
): Promise<VersionChecksum | undefined> {
  if (file === undefined || file.size > MAX_BYTES) return undefined
  let bytes: Uint8Array
  try {
    bytes = await store.get(file.key, { ...(signal && { signal }) })
  } catch (error) {
    if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND', 'LAKE_STORAGE_ACCESS_DENIED')) return undefined
    throw error
  }
  try {
    return { key: file.key, ...parseChecksum(decodeUtf8(bytes)) }
  } catch (error) {
    warnings.add(`${file.key} is not a version checksum and was passed over: ${causeText(error)}`)
    return undefined
  }
}

/** Adds one warning where the small actions of a replay and its checksum say different things. */
export function checkReplay(table: ReplayedTable, checksum: VersionChecksum, warnings: WarningList): void {
  warn(warnings, checksum, differencesOf(table, checksum))
}

/** The same for the live files, once they are counted. */
export function checkFiles(files: FileTotals, checksum: VersionChecksum, warnings: WarningList): void {
  const compare = (what: string, ours: number, theirs: number) =>
    ours === theirs ? [] : [`${what} ${ours} here, ${theirs} there`]
  warn(warnings, checksum, [
    ...compare('numFiles', files.numFiles, checksum.numFiles),
    ...compare('sizeInBytes', files.sizeInBytes, checksum.tableSizeBytes),
  ])
}

function warn(warnings: WarningList, { key }: VersionChecksum, differences: readonly string[]): void {
  if (differences.length > 0) warnings.add(`${key} disagrees with the log: ${differences.join('; ')}`)
}

function parseChecksum(text: string): Omit<VersionChecksum, 'key'> {
  const json = parseJson(text)
  if (!isJsonObject(json)) throw new TypeError('it is no object')
  const metadata = json.metadata && parseAction({ metaData: json.metadata })
  const protocol = json.protocol && parseAction({ protocol: json.protocol })
  const transactions = texts(json.setTransactions, ({ appId, version }) => `${appId}=${version}`)
  const domains = texts(json.domainMetadata, (entry) => {
    return entry.removed === true ? undefined : `${entry.domain}=${entry.configuration}`
  })
  return {
    numFiles: count(json, 'numFiles'),
    tableSizeBytes: count(json, 'tableSizeBytes'),
    ...(metadata && 'metaData' in metadata && { metadata: metadata.metaData }),
    ...(protocol && 'protocol' in protocol && { protocol: protocol.protocol }),
    ...(transactions && { transactions }),
    ...(domains && { domains }),
  }
}

function count(json: JsonObject, name: string): number {
  const value = json[name]
  if (typeof value !== 'number' || value < 0) throw new TypeError(`its ${name} is missing or no count`)
  return value
}

function texts(
  json: JsonValue | undefined,
  text: (entry: JsonObject) => string | undefined,
): readonly string[] | undefined {
  if (!Array.isArray(json)) return undefined
  return (json as readonly JsonValue[]).flatMap((entry) => (isJsonObject(entry) ? (text(entry) ?? []) : []))
}

function differencesOf(table: ReplayedTable, checksum: VersionChecksum): string[] {
  const { metadata, protocol } = table
  const differences: string[] = []
  if (checksum.metadata !== undefined && metadataText(metadata) !== metadataText(checksum.metadata)) {
    differences.push('the metadata differs')
  }
  const [ours, theirs] = [protocol, checksum.protocol ?? protocol].map(protocolText)
  if (ours !== theirs) differences.push(`protocol ${ours} here, ${theirs} there`)
  const transactions = Array.from(table.transactions.values(), ({ appId, version }) => `${appId}=${version}`)
  const domains = Array.from(table.domains.values(), ({ domain, configuration }) => `${domain}=${configuration}`)
  // a writer may leave out transactions that are too old for it
  differences.push(...missing('transaction', checksum.transactions ?? [], transactions))
  differences.push(...missing('domain', checksum.domains ?? [], domains))
  if (checksum.domains !== undefined) differences.push(...missing('domain', domains, checksum.domains))
  return differences
}

function missing(what: string, wanted: readonly string[], there: readonly string[]): string[] {
  const known = new Set(there)
  return wanted.filter((text) => !known.has(text)).map((text) => `the ${what} ${text} is in one only`)
}

function metadataText({ id, schemaString, partitionColumns, configuration }: Metadata): string {
  return JSON.stringify([id, schemaString, partitionColumns, [...configuration].sort()])
}

function protocolText({ minReaderVersion, minWriterVersion, readerFeatures, writerFeatures }: Protocol): string {
  const names = (features: readonly string[] | undefined) => [...(features ?? [])].sort().join(',')
  return `(${minReaderVersion},${minWriterVersion},[${names(readerFeatures)}],[${names(writerFeatures)}])`
}
