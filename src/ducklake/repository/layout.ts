/**
 * The objects of a repository: where they lie, what they say.
 *
 * Keys that this version does not know are kept when an object is written again. Source: seed 003; keys beyond it are
 * this package's own.
 */
import { deltaError } from '../../errors/index.ts'
import {
  decodeUtf8Strict,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  parseJson,
  printJson,
} from '../../support/index.ts'
import { WRITE_FORMATS, type WriteFormat } from '../catalog/formats.ts'

export const LAYOUT = 1
export const CONFIG_KEY = 'fdl.json'
export const HEAD_KEY = 'HEAD'
export const HEADS = 'refs/heads/'
export const TAGS = 'refs/tags/'
export const DATA = 'data/'

/** The folder of a version. */
export function versionFolder(id: string): string {
  return `versions/${id}/`
}

export function versionKey(id: string): string {
  return `${versionFolder(id)}version.json`
}

/** A format that versions are published in. */
export interface CatalogFormat {
  readonly ducklake: string
  /** the last day, UTC, on which new versions are written in it: `2027-03-31` */
  readonly until?: string
}

export interface Config {
  /** absent: versions have their main catalog only */
  readonly formats: readonly CatalogFormat[] | undefined
  readonly retention: { readonly days?: number; readonly keep?: number }
  readonly json: JsonObject
}

/** A catalog of a version, as the version describes it. */
export interface CatalogRecord {
  readonly ducklake: string
  /** the oldest storage the file opens with */
  readonly storage: string
  /** relative to the version's folder */
  readonly path: string
  readonly bytes: number | undefined
  readonly sha256: string | undefined
}

export interface VersionRecord {
  readonly id: string
  readonly parents: readonly string[]
  readonly author: string
  readonly message: string
  readonly createdAt: string
  readonly main: CatalogRecord & { readonly snapshot: number | undefined }
  /** undefined: not told; they are looked for */
  readonly catalogs: readonly CatalogRecord[] | undefined
  readonly skipped: readonly { readonly ducklake: string; readonly reason: string }[]
  readonly withdrawn: { readonly at: string; readonly reason: string } | undefined
  readonly json: JsonObject
}

export interface FileRecord {
  /** relative to the root: `data/main/t/x.parquet` */
  readonly path: string
  readonly bytes: number
}

export function parseConfig(bytes: Uint8Array, root: string): Config {
  const json = jsonObject(bytes, { object: CONFIG_KEY, root })
  refuseNewer(json, { object: CONFIG_KEY, root })
  const { catalog_formats: list } = json
  const formats =
    list === undefined ? undefined : (Array.isArray(list) ? list : []).map((entry) => formatOf(entry, root))
  const retention = isJsonObject(json.retention) ? json.retention : {}
  return {
    json,
    formats,
    retention: {
      ...(retention.days !== undefined && { days: numberOf(retention.days) ?? 0 }),
      ...(retention.keep !== undefined && { keep: numberOf(retention.keep) ?? 0 }),
    },
  }
}

function formatOf(entry: JsonValue, root: string): CatalogFormat {
  if (!isJsonObject(entry) || typeof entry.ducklake !== 'string') {
    throw invalid({ object: CONFIG_KEY, root }, 'an entry of catalog_formats names no ducklake format')
  }
  const { until } = entry
  if (until === undefined) return { ducklake: entry.ducklake }
  if (typeof until !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(until)) {
    throw invalid({ object: CONFIG_KEY, root }, `until of the format ${entry.ducklake} is no day like 2027-03-31`)
  }
  return { ducklake: entry.ducklake, until }
}

/** The formats new versions are written in on a day, newest first. */
export function formatsAt(config: Config, now: number): WriteFormat[] {
  const today = new Date(now).toISOString().slice(0, 10)
  const live = (config.formats ?? []).filter(({ until }) => until === undefined || today <= until)
  return [...WRITE_FORMATS].reverse().filter((format) => live.some(({ ducklake }) => ducklake === format))
}

export function parseVersion(bytes: Uint8Array, id: string, root: string): VersionRecord {
  const where = { object: versionKey(id), root }
  const json = jsonObject(bytes, where)
  refuseNewer(json, where)
  if (json.id !== undefined && json.id !== id) throw invalid(where, `it calls itself ${String(json.id)}`)
  const { catalog } = json
  const withdrawn = isJsonObject(json.withdrawn) ? json.withdrawn : undefined
  if (!isJsonObject(catalog)) throw invalid(where, 'it describes no catalog')
  const main = catalogRecord({ ...catalog, sha256: json.sha256 ?? null }, 'ducklake.duckdb')
  return {
    id,
    json,
    parents: strings(json.parents),
    author: textOf(json.author),
    message: textOf(json.message),
    createdAt: textOf(json.created_at),
    main: { ...main, snapshot: numberOf(catalog.snapshot) },
    catalogs: Array.isArray(json.catalogs)
      ? json.catalogs
          .filter(isJsonObject)
          .map((entry) => catalogRecord(entry, `catalogs/${textOf(entry.ducklake)}.duckdb`))
      : undefined,
    skipped: (Array.isArray(json.skipped) ? json.skipped : []).filter(isJsonObject).map((entry) => {
      return { ducklake: textOf(entry.ducklake), reason: textOf(entry.reason) }
    }),
    withdrawn: withdrawn && { at: textOf(withdrawn.at), reason: textOf(withdrawn.reason) },
  }
}

function catalogRecord(entry: JsonObject, path: string): CatalogRecord {
  return {
    ducklake: textOf(entry.ducklake),
    storage: textOf(entry.storage),
    path: typeof entry.path === 'string' ? entry.path : path,
    bytes: numberOf(entry.bytes),
    sha256: typeof entry.sha256 === 'string' ? entry.sha256 : undefined,
  }
}

export function parseFiles(bytes: Uint8Array, id: string, root: string): FileRecord[] {
  const where = { object: `${versionFolder(id)}files.json`, root }
  const json = parse(bytes, where)
  if (!Array.isArray(json)) throw invalid(where, 'it is no list')
  return json.map((entry) => {
    if (!isJsonObject(entry) || typeof entry.path !== 'string' || entry.path.split('/').includes('..')) {
      throw invalid(where, 'an entry of it names no file below the root')
    }
    return { path: entry.path, bytes: numberOf(entry.bytes) ?? 0 }
  })
}

/** @returns the ref `HEAD` names: `refs/heads/main` */
export function parseHead(bytes: Uint8Array, root: string): string {
  const match = /^ref: (refs\/heads\/\S+)\s*$/.exec(new TextDecoder().decode(bytes))
  if (match === null) throw invalid({ object: HEAD_KEY, root }, 'it names no branch')
  return match[1]!
}

/** The text of a JSON object of the repository. */
export function printObject(value: unknown): string {
  return `${JSON.stringify(value, (_, part: unknown) => (part instanceof JsonNumber ? Number(part.text) : part), 2)}\n`
}

function jsonObject(bytes: Uint8Array, where: Where): JsonObject {
  const json = parse(bytes, where)
  if (!isJsonObject(json)) throw invalid(where, 'it is no JSON object')
  return json
}

function parse(bytes: Uint8Array, where: Where): JsonValue {
  try {
    return parseJson(decodeUtf8Strict(bytes) ?? '')
  } catch (cause) {
    throw invalid(where, 'it is no JSON', cause)
  }
}

interface Where {
  readonly object: string
  readonly root: string
}

function refuseNewer(json: JsonObject, where: Where): void {
  const format = json.format === undefined ? LAYOUT : (numberOf(json.format) ?? Number.POSITIVE_INFINITY)
  if (format <= LAYOUT) return
  throw deltaError('DUCKLAKE_REPOSITORY_NEWER', { ...where, format: printJson(json.format) })
}

export function invalid(where: Where, reason: string, cause?: unknown) {
  return deltaError('DUCKLAKE_REPOSITORY_INVALID', { ...where, reason }, { cause })
}

function strings(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : []
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

function numberOf(value: JsonValue | undefined): number | undefined {
  const number = value instanceof JsonNumber ? Number(value.text) : typeof value === 'number' ? value : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}
