/** What the log tells of a file, as lines for the page. */
import { type AddFile, isJsonObject, type JsonValue, parseJson, type RemoveFile } from '../library.ts'
import type { Bounds, Cell } from '../messages.ts'
import { prettyJson } from './json-text.ts'

type Told = Pick<AddFile | RemoveFile, 'stats' | 'deletionVector'>

/** Rows a reader gets from a file; null where the log does not tell. */
export function liveRows(file: Told): number | null {
  const numRecords = numRecordsOf(file.stats)
  return numRecords === null ? null : numRecords - (file.deletionVector?.cardinality ?? 0)
}

export function numRecordsOf(stats: string | undefined): number | null {
  const count = statsOf(stats)?.numRecords
  return typeof count === 'number' ? count : null
}

/** Bounds and null counts of the columns that have some, by dotted physical name. */
export function boundsOf(stats: string | undefined): readonly Bounds[] {
  const parsed = statsOf(stats)
  if (parsed === undefined) return []
  const columns = new Map<string, { min: Cell; max: Cell; nulls: Cell }>()
  const take = (side: 'min' | 'max' | 'nulls', value: JsonValue | undefined, path: string) => {
    if (isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value)) take(side, inner, path === '' ? name : `${path}.${name}`)
      return
    }
    if (value === undefined || value === null) return
    const line = columns.get(path) ?? { min: null, max: null, nulls: null }
    line[side] = typeof value === 'string' ? value : prettyJson(value)
    columns.set(path, line)
  }
  take('min', parsed.minValues, '')
  take('max', parsed.maxValues, '')
  take('nulls', parsed.nullCount, '')
  return [...columns].map(([column, line]) => ({ column, ...line }))
}

function statsOf(stats: string | undefined) {
  if (stats === undefined || stats === '') return undefined
  try {
    const parsed = parseJson(stats)
    return isJsonObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
