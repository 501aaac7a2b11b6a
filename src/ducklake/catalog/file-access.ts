/**
 * Where the files of a lake lie, and how DuckDB gets at them.
 *
 * A path of the catalog is data path, folder of the schema, folder of the table and name, each level ending at one that
 * is not relative. A file of a local folder is opened where it lies; one behind a network is fetched once and kept as
 * long as the lake is open.
 */
import { realpathSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import type { DuckDatabase } from '../../engine/duckdb/index.ts'
import { causeText, deltaError, isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'

export type OpenStore = (location: string) => ObjectStore | Promise<ObjectStore>

export interface FileAccessOptions {
  readonly openStore: OpenStore
  /** where relative paths begin, as a location: `/lake/data`, `s3://bucket/data` */
  readonly dataPath: string
  /** where a path begins that is neither relative to the data path nor absolute: the working folder of its writer */
  readonly baseFolder: string
  readonly database: DuckDatabase
  /** true: nothing outside of the data path is opened, symbolic links included */
  readonly confined?: boolean
}

/** A file by its place: a path below the data path, or one that stands alone. */
export interface FilePlace {
  readonly path: string
  /** false: `path` is whole, a local path or an address */
  readonly isRelative: boolean
}

export class FileAccess {
  readonly dataPath: string
  private readonly options: FileAccessOptions
  private readonly stores = new Map<string, Promise<ObjectStore>>()
  private readonly fetched = new Map<string, Promise<string>>()

  constructor(options: FileAccessOptions) {
    this.options = options
    this.dataPath = options.dataPath
  }

  /**
   * The local path of a file that is there.
   *
   * @param table for messages
   * @throws DeltaError `DUCKLAKE_FILE_MISSING`, `DUCKLAKE_PATH_ESCAPES`, what the store throws
   */
  async localPath(place: FilePlace, table: string): Promise<string> {
    const { store, key, shown } = await this.locate(place)
    try {
      if (store.localPath === undefined) return await this.fetch(store, key)
      await store.head(key)
      const path = store.localPath(key)
      if (this.options.confined) this.refuseLinks(path, shown)
      return path
    } catch (cause) {
      if (!isDeltaError(cause, 'LAKE_OBJECT_NOT_FOUND')) throw cause
      throw deltaError('DUCKLAKE_FILE_MISSING', { file: shown, table }, { cause })
    }
  }

  /** The bytes of a file; the errors of `localPath`. */
  async bytes(place: FilePlace, table: string): Promise<Uint8Array> {
    const { store, key, shown } = await this.locate(place)
    try {
      return await store.get(key)
    } catch (cause) {
      if (!isDeltaError(cause, 'LAKE_OBJECT_NOT_FOUND')) throw cause
      throw deltaError('DUCKLAKE_FILE_MISSING', { file: shown, table }, { cause })
    }
  }

  /** Store and key of a file, without looking whether it is there. */
  async locate(place: FilePlace): Promise<{ store: ObjectStore; key: string; shown: string }> {
    if (place.isRelative) {
      const key = place.path.replace(/^(?:\.\/)+/, '')
      if (!isPlainKey(key)) throw this.escapes(place.path)
      return { store: await this.store(this.dataPath), key, shown: place.path }
    }
    const whole = absoluteLocation(place.path, this.options.baseFolder)
    const below = this.keyBelowRoot(whole)
    if (below !== undefined) return { store: await this.store(this.dataPath), key: below, shown: place.path }
    if (this.options.confined) throw this.escapes(place.path)
    const cut = whole.lastIndexOf('/')
    return { store: await this.store(whole.slice(0, cut) || '/'), key: whole.slice(cut + 1), shown: place.path }
  }

  private keyBelowRoot(location: string): string | undefined {
    const root = `${absoluteLocation(this.dataPath, this.options.baseFolder).replace(/\/+$/, '')}/`
    const key = location.startsWith(root) ? location.slice(root.length) : undefined
    return key !== undefined && isPlainKey(key) ? key : undefined
  }

  private refuseLinks(path: string, shown: string): void {
    const root = realpathSync(resolve(this.dataPath))
    if (!realpathSync(path).startsWith(root + sep)) throw this.escapes(shown)
  }

  private escapes(path: string) {
    return deltaError('DUCKLAKE_PATH_ESCAPES', { path, root: this.dataPath })
  }

  private store(location: string): Promise<ObjectStore> {
    const known = this.stores.get(location)
    if (known !== undefined) return known
    const opening = Promise.resolve(this.options.openStore(location))
    this.stores.set(location, opening)
    opening.catch(() => this.stores.delete(location))
    return opening
  }

  private fetch(store: ObjectStore, key: string): Promise<string> {
    const name = `${store.location}\n${key}`
    const known = this.fetched.get(name)
    if (known !== undefined) return known
    const path = this.options.database.tempFile('.fetched')
    const fetching = store.get(key).then(async (bytes) => {
      await writeFile(path, bytes)
      return path
    })
    this.fetched.set(name, fetching)
    fetching.catch(() => this.fetched.delete(name))
    return fetching
  }
}

/** Whether a key stays below the root it is taken from. */
export function isPlainKey(key: string): boolean {
  return (
    key !== '' && !key.includes('\0') && key.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  )
}

/** An address, an absolute path, or a path from a folder. */
export function absoluteLocation(path: string, folder: string): string {
  if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(path) || path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)) return path
  const plain = path.replace(/^(?:\.\/)+/, '')
  return `${folder.replace(/\/+$/, '')}/${plain}`
}

/** What a file that DuckDB could not read gives, by name. */
export function corruptFile(file: string, table: string, cause: unknown) {
  const reason = causeText(cause).split('\n')[0]
  return deltaError('DUCKLAKE_FILE_CORRUPT', { file, table, reason }, { cause })
}
