/** Files of a Delta table as files of a lake: where they go, what is known of their columns, which rows are deleted. */
import { deltaError } from '../../errors/index.ts'
import {
  type AddFile,
  type DeletionVectorDescriptor,
  decodeZ85,
  deletionVectorKey,
  escapeHive,
  NULL_DIRECTORY,
  openDataFile,
} from '../../kernel/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { encodeUtf8, isJsonObject, JsonNumber, type JsonValue, md5Hex, parseJson } from '../../support/index.ts'
import { hivePartitionValue } from '../scan/name-mapping.ts'
import { bareVector, vectorPayload } from '../scan/puffin.ts'
import type { LakeColumn } from '../snapshot/columns.ts'

/**
 * The place of a data file below the table's folder: its own, or one whose folders say its partition, which is where
 * every reader of the lake takes it from.
 *
 * @param partitions physical names of the partition columns
 */
export function lakePath(key: string, add: AddFile, partitions: readonly string[], isOwn: boolean): string {
  const says = partitions.every((name) => {
    const inPath = hivePartitionValue(key, name)
    const value = add.partitionValues.get(name) ?? null
    return inPath !== undefined && (inPath ?? '') === (value ?? '')
  })
  if (says && isOwn) return key
  const folders = partitions.map((name) => {
    const value = add.partitionValues.get(name) ?? ''
    return `${escapeHive(name)}=${value === '' ? NULL_DIRECTORY : encodeURIComponent(value)}/`
  })
  const name = key.slice(key.lastIndexOf('/') + 1)
  return `${folders.join('')}${isOwn ? name : `${md5Hex(encodeUtf8(add.path)).slice(0, 8)}-${name}`}`
}

export interface VectorFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/**
 * A deletion vector as a delete file of its own: the slice of the file it lies in.
 *
 * @throws DeltaError `DUCKLAKE_FILE_CORRUPT`
 */
export async function vectorFile(
  store: ObjectStore,
  add: AddFile,
  vector: DeletionVectorDescriptor,
): Promise<VectorFile> {
  const identity = `${add.path} ${vector.storageType} ${vector.pathOrInlineDv} ${vector.offset ?? ''}`
  const hex = md5Hex(encodeUtf8(identity))
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return { name: `ducklake-${uuid}-delete.puffin`, bytes: await vectorBytes(store, vector) }
}

async function vectorBytes(store: ObjectStore, vector: DeletionVectorDescriptor): Promise<Uint8Array> {
  if (vector.storageType === 'i') {
    const bytes = decodeZ85(vector.pathOrInlineDv)?.subarray(0, vector.sizeInBytes)
    if (bytes === undefined) throw corrupt('a deletion vector in the log', 'its text is not base 85')
    return bareVector(bytes)
  }
  const place =
    vector.storageType === 'p'
      ? openDataFile(store, vector.pathOrInlineDv)
      : { store, key: deletionVectorKey(vector.pathOrInlineDv) }
  const start = vector.offset ?? 1
  const bytes = await place.store.getRange(place.key, { start, end: start + vector.sizeInBytes + 8 })
  try {
    vectorPayload(bytes)
  } catch (cause) {
    throw corrupt(place.key, cause instanceof Error ? cause.message : String(cause))
  }
  return bytes
}

function corrupt(file: string, reason: string) {
  return deltaError('DUCKLAKE_FILE_CORRUPT', { file, table: 'the Delta table', reason })
}

export interface ColumnStats {
  readonly columnId: number
  readonly valueCount: number
  readonly nullCount: number
  readonly min: string | undefined
  readonly max: string | undefined
}

export interface FileStats {
  readonly numRecords: number | undefined
  readonly columns: readonly ColumnStats[]
}

/** @param pathOf physical names of a leaf column's path */
export function fileStats(
  stats: string | undefined,
  leaves: readonly { column: LakeColumn; path: readonly string[] }[],
): FileStats {
  const json = parsed(stats)
  const numRecords = wholeNumber(json?.numRecords)
  if (json === undefined || numRecords === undefined) return { numRecords, columns: [] }
  const columns = leaves.flatMap(({ column, path }): ColumnStats[] => {
    const nullCount = wholeNumber(at(json.nullCount, path))
    if (nullCount === undefined || nullCount > numRecords) return []
    const min = bound(at(json.minValues, path), column.type, 'min')
    const max = bound(at(json.maxValues, path), column.type, 'max')
    return [{ columnId: column.id, valueCount: numRecords - nullCount, nullCount, min, max }]
  })
  return { numRecords, columns }
}

function parsed(stats: string | undefined) {
  try {
    const json = stats === undefined ? undefined : parseJson(stats)
    return isJsonObject(json) ? json : undefined
  } catch {
    return undefined
  }
}

function at(json: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let found = json
  for (const name of path) found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
  return found
}

function wholeNumber(value: JsonValue | undefined): number | undefined {
  const number = value instanceof JsonNumber ? Number(value.text) : typeof value === 'bigint' ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** Texts of Delta that are longer may be cut, and times are cut to milliseconds: a maximum is raised or left out. */
const CUT_LENGTH = 32

function bound(value: JsonValue | undefined, type: string, side: 'min' | 'max'): string | undefined {
  if (value === undefined || value === null || (typeof value === 'object' && !(value instanceof JsonNumber)))
    return undefined
  const text = value instanceof JsonNumber ? value.text : String(value)
  if (text.includes('\0')) return undefined
  if (type === 'varchar') return side === 'max' && [...text].length >= CUT_LENGTH ? undefined : text
  if (/^(?:int|uint|decimal|date$)/.test(type)) return text
  if (type === 'float32' || type === 'float64') return typeof value === 'string' ? undefined : text
  if (type !== 'timestamp' && type !== 'timestamptz') return undefined
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z?)$/.exec(text)
  if (match === null) return undefined
  const fraction = (match[3] ?? '').padEnd(3, '0')
  const micros = side === 'max' ? fraction.slice(0, 3).padEnd(6, '9') : fraction.padEnd(6, '0')
  return `${match[1]} ${match[2]}.${micros}${type === 'timestamptz' ? '+00' : ''}`
}
