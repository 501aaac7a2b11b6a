/**
 * Paths of data files as the log writes them: URI text, relative to the table's root or absolute.
 *
 * The log's text is decoded once and the result is the key of the object. Identity is the decoded path, because some
 * writers percent-encode what others leave raw; absolute paths are brought to one spelling as well, because `/x`,
 * `file:/x` and `file:///x` are one file. Source: Delta protocol, "Add File and Remove File".
 */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { decodeUtf8Strict } from '../../support/index.ts'

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/
/** Schemes that name the same object, by the one kept. */
const SAME_SCHEME: ReadonlyMap<string, string> = new Map([
  ['s3a', 's3'],
  ['s3n', 's3'],
])

/** Whether a path of the log stands by itself: it begins with a slash or with a scheme. */
export function isAbsolutePath(path: string): boolean {
  return path.startsWith('/') || SCHEME.test(path)
}

/**
 * Takes the URI encoding off a path, once.
 *
 * A `%` that begins no encoded UTF-8 text stays as it is: some writers do not encode at all.
 */
export function decodePath(path: string): string {
  if (!path.includes('%')) return path
  return path.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => decodeRun(run))
}

function decodeRun(run: string): string {
  const bytes = Uint8Array.from(run.slice(1).split('%'), (hex) => Number.parseInt(hex, 16))
  return decodeUtf8Strict(bytes) ?? run
}

/**
 * The one spelling of a path: two paths of a log name the same file exactly when these are equal.
 *
 * Decoded; `file:` dropped and `s3a`, `s3n` made `s3`; runs of slashes in absolute paths made one.
 */
export function canonicalPath(path: string): string {
  const decoded = decodePath(path)
  if (!isAbsolutePath(path)) return decoded
  const scheme = SCHEME.exec(decoded)?.[0].slice(0, -1).toLowerCase()
  if (scheme === undefined) return oneSlash(decoded)
  const rest = decoded.slice(scheme.length + 1)
  if (scheme === 'file') return oneSlash(rest.replace(/^\/\/localhost(?=\/)/, ''))
  const [, authority = '', tail = ''] = /^(\/\/[^/]*)?(.*)$/s.exec(rest)!
  return `${SAME_SCHEME.get(scheme) ?? scheme}:${authority}${oneSlash(tail)}`
}

function oneSlash(path: string): string {
  return path.replace(/\/{2,}/g, '/')
}

/** Where a data file lies: a key in the table's store, or outside of it. */
export type DataFileLocation =
  | { readonly kind: 'key'; readonly key: string }
  /** canonical: a path of the local file system that begins with `/`, or `scheme://authority/path`; decoded */
  | { readonly kind: 'absolute'; readonly path: string }

/**
 * Finds the object a path of the log names.
 *
 * An absolute path below the table's own root becomes a key.
 *
 * @param location the table's root, `ObjectStore.location`
 * @throws DeltaError `LAKE_PATH_OUTSIDE_TABLE` when a relative path climbs out of the table by `..`
 */
export function locateDataFile(location: string, path: string): DataFileLocation {
  if (!isAbsolutePath(path)) return { kind: 'key', key: relativeKey(location, path) }
  const canonical = canonicalPath(path)
  const root = `${(isAbsolutePath(location) ? canonicalLocation(location) : location).replace(/\/+$/, '')}/`
  if (canonical.startsWith(root)) return { kind: 'key', key: canonical.slice(root.length) }
  return { kind: 'absolute', path: canonical }
}

/**
 * The store and the key under which a data file of a log can be read.
 *
 * @throws DeltaError `FAILED_READ_FILE.NO_HINT` when it lies outside of the table, where the store does not reach;
 * `LAKE_PATH_OUTSIDE_TABLE`
 */
export function openDataFile(store: ObjectStore, path: string): { readonly store: ObjectStore; readonly key: string } {
  const location = locateDataFile(store.location, path)
  if (location.kind === 'key') return { store, key: location.key }
  const elsewhere = store.elsewhere?.(location.path)
  if (elsewhere !== undefined) return elsewhere
  throw deltaError('FAILED_READ_FILE.NO_HINT', {
    file: path,
    cause: 'it lies outside of the table, where its store does not reach',
    readable: 'files inside the table can be read',
  })
}

/** A root is plain text where it is a local folder, and URI text where it has a scheme. */
function canonicalLocation(location: string): string {
  return location.startsWith('/') ? oneSlash(location) : canonicalPath(location)
}

function relativeKey(location: string, path: string): string {
  const segments = decodePath(path).split('/')
  if (segments.includes('..')) throw deltaError('LAKE_PATH_OUTSIDE_TABLE', { path, table: location })
  return segments.filter((segment) => segment !== '.' && segment !== '').join('/')
}
