/**
 * The port through which everything in a table is reached: objects under a root, addressed by key.
 *
 * A key is a decoded relative path with `/` between segments, without a leading slash: `_delta_log/000….json`. It is
 * never URI-encoded; a store that speaks HTTP encodes it once on the wire.
 */

export interface ObjectMeta {
  readonly key: string
  /** bytes */
  readonly size: number
  /** milliseconds since 1970; 0 where the store does not tell */
  readonly modifiedMs: number
  /** what changes with the content; only in listings, and where the store tells */
  readonly etag?: string
}

export interface ListOptions {
  /** only keys that begin with this text; may end inside a segment */
  readonly prefix: string
  /** only keys above this one, in the order of their UTF-8 bytes; the key itself is left out */
  readonly startAfter?: string
  /** true: only keys with no `/` behind the prefix; folders below are not entered */
  readonly shallow?: boolean
}

export interface StoreCapabilities {
  /** `put`, `putIfAbsent` and `delete` work */
  readonly write: boolean
  /** `list` works; without it a log is followed by its hint and by probing upwards */
  readonly list: boolean
}

export interface StoreCallOptions {
  readonly signal?: AbortSignal
}

/**
 * Where a table lies.
 *
 * Read-after-write: what a resolved `put` or `putIfAbsent` wrote is seen by every later `get`, `head` and `list`.
 * Every method rejects with `StorageError`: `LAKE_STORAGE_ACCESS_DENIED`, `LAKE_STORAGE_UNAVAILABLE` (retryable),
 * `LAKE_STORAGE_FULL`, `LAKE_STORAGE_READ_ONLY`, `LAKE_STORAGE_UNSUPPORTED`; the reading ones with
 * `LAKE_OBJECT_NOT_FOUND` too; a key that is no plain relative path with `LAKE_INVALID_KEY`.
 * An aborted signal rejects with `LAKE_CANCELLED`.
 */
export interface ObjectStore {
  /** the root as a person would write it, for messages: `/lake/orders`, `https://host/lake/orders` */
  readonly location: string
  readonly capabilities: StoreCapabilities

  /** The whole object. */
  get(key: string, options?: StoreCallOptions): Promise<Uint8Array>

  /**
   * A part of the object: bytes `start` (included) to `end` (left out).
   *
   * A range that reaches past the end gives what there is, down to no bytes. With an `etag` of a listing, the object with
   * another one is not found, where the store can tell.
   */
  getRange(
    key: string,
    range: { start: number; end: number; etag?: string },
    options?: StoreCallOptions,
  ): Promise<Uint8Array>

  head(key: string, options?: StoreCallOptions): Promise<ObjectMeta>

  /**
   * The objects under a prefix, in pages, in the ascending order of their keys' UTF-8 bytes over all pages.
   *
   * A prefix with nothing below it gives no objects and no error.
   */
  list(options: ListOptions & StoreCallOptions): AsyncIterable<readonly ObjectMeta[]>

  /** Writes the object, replacing one that is there. The bytes are visible whole or not at all. */
  put(key: string, bytes: Uint8Array, options?: StoreCallOptions): Promise<void>

  /**
   * As `put`, of bytes that come one after the other, in memory that does not grow with the object.
   *
   * Absent on stores that take an object at once only.
   */
  putChunks?(key: string, chunks: AsyncIterable<Uint8Array>, options?: StoreCallOptions): Promise<void>

  /**
   * Creates the object only if none is at `key`.
   *
   * Atomic: of any number of concurrent calls on one key, exactly one resolves to `'created'`.
   * Not idempotent: a rejected call may have had its effect; the caller reads the key to know.
   * The bytes are visible whole or not at all.
   */
  putIfAbsent(key: string, bytes: Uint8Array, options?: StoreCallOptions): Promise<'created' | 'exists'>

  /**
   * Replaces the object only if it holds `expected` at that moment. Absent on stores that cannot promise it.
   *
   * Atomic: of any number of concurrent calls with the same expectation, one resolves to `'replaced'`; for the others,
   * and where the object is gone, it is `'changed'`. Not idempotent: a rejected call, and one that answers `'changed'`
   * behind a lost answer, may have had its effect; the caller reads the key to know. For small objects: refs.
   */
  replaceIf?(
    key: string,
    bytes: Uint8Array,
    expected: Uint8Array,
    options?: StoreCallOptions,
  ): Promise<'replaced' | 'changed'>

  /** Removes the object; one that is not there is no error. */
  delete(key: string, options?: StoreCallOptions): Promise<void>

  /**
   * The path of the object in the local file system, for engines that open files themselves.
   *
   * Absent on stores that are not a local folder.
   */
  localPath?(key: string): string

  /**
   * Where an absolute path outside of this root lies, if stores of this kind reach it: shallow clones name such paths.
   *
   * @param path decoded: `/folder/file`, or with a scheme
   * @returns undefined where it does not reach; nothing is read yet
   */
  elsewhere?(path: string): { readonly store: ObjectStore; readonly key: string } | undefined

  /**
   * Folders under a prefix that hold nothing at all, in pages.
   *
   * Absent on stores whose folders are nothing but the keys in them.
   */
  emptyFolders?(options: { readonly prefix: string } & StoreCallOptions): AsyncIterable<readonly ObjectMeta[]>

  /**
   * Removes a folder that holds nothing.
   *
   * @returns false where it is not there, or holds something by now
   */
  deleteEmptyFolder?(key: string): Promise<boolean>
}
