/**
 * What the first bytes of a DuckDB file say: which DuckDB opens it.
 *
 * Two numbers count, the main version and the one of the serialization in the newer of two database headers: a file
 * touched by a newer DuckDB keeps the first and raises the second.
 */

/** A storage form by its number. */
interface StorageVersion {
  readonly number: number
  /** the oldest DuckDB that opens it, as STORAGE_VERSION names it */
  readonly name: string
}

const STORAGE_VERSIONS: readonly StorageVersion[] = [
  { number: 64, name: 'v1.0.0' },
  { number: 65, name: 'v1.2.0' },
  { number: 66, name: 'v1.3.0' },
  { number: 67, name: 'v1.4.0' },
  { number: 68, name: 'v1.5.0' },
  { number: 69, name: 'v2.0.0' },
]

/** The newest storage the DuckDB of this package opens. */
export const ENGINE_STORAGE = 'v1.5.0'
/** From this main version on the storage number stands where the serialization stood. */
const MAIN_SINCE_2 = 999
/** Bytes of a file that `readStorageHeader` looks at. */
export const HEADER_BYTES = 12_288

export interface StorageHeader {
  readonly mainVersion: number
  readonly serialization: number
  readonly blockSize: number
  /** the DuckDB that made the file, as it calls itself */
  readonly library: string
  /** the oldest DuckDB that opens the file: `v1.5.0` */
  readonly needs: string
  readonly needsNumber: number
}

/** What a file begins with. */
export type FileKind = 'duckdb' | 'sqlite' | 'other'

export function fileKind(bytes: Uint8Array): FileKind {
  const text = (start: number, end: number) => String.fromCharCode(...bytes.subarray(start, end))
  if (text(8, 12) === 'DUCK') return 'duckdb'
  return text(0, 15) === 'SQLite format 3' ? 'sqlite' : 'other'
}

/**
 * @param bytes at least the first `HEADER_BYTES` of the file
 * @returns undefined where they are no whole header of a DuckDB file
 */
export function readStorageHeader(bytes: Uint8Array): StorageHeader | undefined {
  if (bytes.length < HEADER_BYTES || fileKind(bytes) !== 'duckdb') return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const mainVersion = Number(view.getBigUint64(12, true))
  const live = view.getBigUint64(4096 + 8, true) >= view.getBigUint64(8192 + 8, true) ? 4096 : 8192
  const serialization = Number(view.getBigUint64(live + 56, true))
  const needsNumber =
    mainVersion === MAIN_SINCE_2 ? serialization : Math.max(mainVersion, storageOfSerialization(serialization))
  return {
    mainVersion,
    serialization,
    blockSize: Number(view.getBigUint64(live + 40, true)),
    library: new TextDecoder('latin1').decode(bytes.subarray(52, 84)).replace(/\0.*$/s, ''),
    needs: storageName(needsNumber),
    needsNumber,
  }
}

/** 1 to 3 belong to DuckDB before 1.2, each later one to the next storage number. */
function storageOfSerialization(serialization: number): number {
  return serialization <= 3 ? 64 : serialization + 61
}

/** `v1.5.0`; a number this package does not know is spelled out. */
export function storageName(number: number): string {
  const known = STORAGE_VERSIONS.find((version) => version.number === number)
  return known?.name ?? `with storage number ${number}, newer than ${STORAGE_VERSIONS.at(-1)!.name}`
}

/** @returns undefined for a name that is no storage version; patch releases count as their line */
export function storageNumber(name: string): number | undefined {
  const match = /^v?(\d+)\.(\d+)/.exec(name)
  if (match === null) return undefined
  const [major, minor] = [Number(match[1]), Number(match[2])]
  if (major === 0 || (major === 1 && minor < 2)) return 64
  return STORAGE_VERSIONS.find((version) => version.name.startsWith(`v${major}.${minor}.`))?.number
}

/** Whether an engine that opens `engine` and older opens a file that needs `storage`. */
export function opensStorage(engine: string, storage: string): boolean {
  const [have, need] = [storageNumber(engine), storageNumber(storage)]
  return have !== undefined && need !== undefined && need <= have
}
