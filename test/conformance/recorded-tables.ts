/**
 * Tables of other engines with what the reference says of every version: the folders `tables` and `tables-spark`.
 *
 * Both come with a manifest; a table that is added to one is tested without new code.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { sharedPath } from '../support/shared.ts'

/** What the reference says of one version. Members are absent where it refuses them. */
export interface RecordedVersion {
  readonly schema?: unknown
  readonly partitionColumns?: readonly string[]
  readonly protocol?: RecordedProtocol
  readonly properties?: Readonly<Record<string, string>>
  readonly numFiles?: number
  readonly sizeInBytes?: number
  readonly domainMetadata?: readonly { readonly domain: string; readonly configuration: string }[]
  readonly setTransactions?: readonly { readonly appId: string; readonly version: string | number }[]
  readonly rows?: readonly Readonly<Record<string, unknown>>[]
  /** each as JSON in the spelling of `derived-rows.ts` */
  readonly derivedRows?: readonly string[]
  readonly rowCount?: number
  readonly rowsSha256?: string
  /** why the version cannot be read at all, or, beside facts, why its rows cannot */
  readonly error?: RecordedError
  readonly commitFileModificationTime?: number
}

export interface RecordedProtocol {
  readonly minReaderVersion: number
  readonly minWriterVersion: number
  readonly readerFeatures?: readonly string[]
  readonly writerFeatures?: readonly string[]
}

export interface RecordedError {
  readonly class?: string | null
  readonly message: string
}

export interface RecordedTable {
  /** as the manifest names it */
  readonly name: string
  readonly folder: string
  readonly versions: ReadonlyMap<number, RecordedVersion>
  readonly history: readonly RecordedCommit[]
}

export interface RecordedCommit {
  readonly version: number
  readonly operation: string | null
  readonly operationParameters?: Readonly<Record<string, string | null>> | null
  readonly operationMetrics?: Readonly<Record<string, string>> | null
  readonly readVersion?: number | null
  readonly isolationLevel?: string | null
  readonly isBlindAppend?: boolean | null
}

interface RawVersion extends RecordedVersion {
  readonly rowsError?: RecordedError
  readonly factsError?: RecordedError
}

interface RawTable {
  /** the same said of a changed copy, for tables that do not read as they are */
  readonly adapted?: Omit<RawTable, 'adapted'>
  readonly versions: Readonly<Record<string, RawVersion>>
  readonly history?: readonly RecordedCommit[]
}

/** Every table of `tables/manifest.json`. */
export function foreignTables(): RecordedTable[] {
  return recordedTables(sharedPath('tables'))
}

/** Every table of `tables-spark/manifest.json`. */
export function sparkTables(): RecordedTable[] {
  return recordedTables(sharedPath('tables-spark'))
}

/** The folders below one that hold a log. */
export function tablesBelow(folder: string): string[] {
  if (existsSync(join(folder, '_delta_log'))) return [folder]
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).flatMap(({ name }) => tablesBelow(join(folder, name)))
}

/**
 * Every table that the manifest of a folder lists; without a manifest every table below it, none with a recording.
 *
 * An entry with a `table` has its recording in `spark-expected`, else its latest rows in `derived-expected`; one with a
 * `name` is a folder that holds `table` and `expected.json`.
 */
export function recordedTables(folder: string): RecordedTable[] {
  if (!existsSync(join(folder, 'manifest.json'))) {
    return tablesBelow(folder).map((place) => {
      return { name: relative(folder, place), folder: place, versions: new Map(), history: [] }
    })
  }
  const entries = readJson<ManifestEntry[]>(join(folder, 'manifest.json'))
  return entries.map((entry) => ('table' in entry ? foreignTable(folder, entry) : sparkTable(folder, entry.name)))
}

type ManifestEntry = ForeignEntry | { readonly name: string }

interface ForeignEntry {
  readonly table: string
  readonly latestVersion?: number
}

function foreignTable(folder: string, { table: name, latestVersion }: ForeignEntry): RecordedTable {
  const place = join(folder, name)
  const recording = join(folder, 'spark-expected', `${name}.json`)
  if (existsSync(recording)) {
    const raw = readJson<RawTable>(recording)
    return recordedTable(name, place, raw.adapted ?? raw)
  }
  const derived = join(folder, 'derived-expected', `${name}.expected.jsonl`)
  if (latestVersion === undefined || !existsSync(derived))
    return { name, folder: place, versions: new Map(), history: [] }
  const derivedRows = readFileSync(derived, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  return { name, folder: place, versions: new Map([[latestVersion, { derivedRows }]]), history: [] }
}

function sparkTable(folder: string, name: string): RecordedTable {
  return recordedTable(name, join(folder, name, 'table'), readJson<RawTable>(join(folder, name, 'expected.json')))
}

function recordedTable(name: string, folder: string, raw: RawTable): RecordedTable {
  const versions = Object.entries(raw.versions).map(([version, { rowsError, factsError, ...facts }]) => {
    const error = facts.error ?? rowsError ?? factsError
    return [Number(version), error === undefined ? facts : { ...facts, error }] as const
  })
  return { name, folder, versions: new Map(versions.sort(([a], [b]) => a - b)), history: raw.history ?? [] }
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T
}
