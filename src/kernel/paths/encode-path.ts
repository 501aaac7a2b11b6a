/**
 * The two layers of encoding between a partition value and the `path` of an `add`, each applied exactly once.
 *
 * A directory name is the Hive escape of the column's name and value; `add.path` is the URI encoding of the whole
 * relative key. Both go by table: `encodeURI` and `encodeURIComponent` are neither. Source: Delta protocol, "Add File";
 * the characters are those Spark escapes.
 */
import { assert } from '../../errors/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import { decodePath, isAbsolutePath } from './data-path.ts'

/** What Hive escapes: controls, DEL and these. Space, `}` and non-ASCII text stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among those escaped
const HIVE_ESCAPED = /[\x00-\x1f\x7f"#%'*/:=?\\{[\]^]/g
/** What cannot stand in the path of a URI: controls, space, DEL and these. `& + ~ =` and non-ASCII text stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among those escaped
const URI_ESCAPED = /[\x00-\x20\x7f"#%<>?[\\\]^`{|}]/g

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/** A column name or a partition value as part of a directory name. */
export function escapeHive(text: string): string {
  return text.replace(HIVE_ESCAPED, percent)
}

/** The text a directory name part was escaped from. A `%` that begins no escape stands for itself. */
export function unescapeHive(text: string): string {
  return decodePath(text)
}

/**
 * `add.path` of a key relative to the table's root.
 *
 * @param key decoded, not beginning with `/`
 * @returns URI text that is never taken for an absolute path
 */
export function encodePath(key: string): string {
  assert(!key.startsWith('/'), `the key ${key} is relative to the table's root`)
  const encoded = key.replace(URI_ESCAPED, percent)
  return isAbsolutePath(encoded) ? encoded.replace(':', '%3A') : encoded
}

/** The name of the directory of null. A real value spelt so stays a value in the log. */
export const NULL_DIRECTORY = '__HIVE_DEFAULT_PARTITION__'

/** Bytes of one directory name; file systems refuse more than 255. */
const MAX_SEGMENT_BYTES = 240
/** Bytes of all partition directories together; S3 keys end at 1,024. */
const MAX_DIRECTORY_BYTES = 700

/**
 * The directory the files of a partition are put into: `a=1/b=x%3Ay/`, or nothing for a table without partitions.
 *
 * A convention only: values are read from the log. A name no store would take is cut and ends in a hash of the whole.
 *
 * @param values column name and text as in `partitionValues`, in the table's order
 * @returns decoded key prefix ending in `/`, or the empty text
 */
export function partitionDirectory(values: Iterable<readonly [string, string | null]>): string {
  let directory = ''
  for (const [name, value] of values) {
    const part = value === null || value === '' ? NULL_DIRECTORY : escapeHive(value)
    directory += `${shorten(`${escapeHive(name)}=${part}`, MAX_SEGMENT_BYTES)}/`
  }
  if (encodeUtf8(directory).length <= MAX_DIRECTORY_BYTES) return directory
  return `${fnv1a(encodeUtf8(directory))}/`
}

function shorten(segment: string, limit: number): string {
  const bytes = encodeUtf8(segment)
  if (bytes.length <= limit) return segment
  let kept = ''
  let length = 0
  for (const character of segment) {
    length += encodeUtf8(character).length
    if (length > limit - 9) break
    kept += character
  }
  return `${kept.replace(/%[0-9A-F]?$/, '')}~${fnv1a(bytes)}`
}

/** Eight hexadecimal digits; a clash costs nothing, for files have names of their own. */
function fnv1a(bytes: Uint8Array): string {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
