/** Rows of an index as the kernel's actions. */
import type { DuckDBDataChunk, DuckDBMapValue } from '@duckdb/node-api'
import { assert } from '../../../errors/index.ts'
import {
  type AddFile,
  type FileBatch,
  type PartitionValues,
  parseAction,
  type RemoveFile,
} from '../../../kernel/index.ts'
import { isJsonObject, parseJson } from '../../../support/index.ts'

/** The columns `AddPages` reads, in order. */
export const PAGE_COLUMNS = 'path, size, mtime, data_change, to_json(pv)::VARCHAR, stats, rest'

/** The columns `ChunkFiles` reads, in order. */
export const LIST_COLUMNS = 'path, size, pv'

/** Partition values of this many files are remembered by their text; tables have far fewer partitions than files. */
const MAX_KNOWN_VALUES = 10_000

/** Turns chunks into adds. Files of one partition share one map of partition values. */
export class AddPages {
  private readonly known = new Map<string, PartitionValues>()

  page(chunk: DuckDBDataChunk): AddFile[] {
    // by column and without spreads: a million files pass here when a whole table is listed
    const [paths, sizes, times, changes, values, stats, rests] = chunk.getColumns() as [
      string[],
      bigint[],
      bigint[],
      boolean[],
      (string | null)[],
      (string | null)[],
      (string | null)[],
    ]
    return paths.map((path, row) => {
      const partitionValues = this.partitionValues(values[row]!)
      const size = safeNumber(sizes[row]!, 'size')
      const modificationTime = safeNumber(times[row]!, 'modificationTime')
      const dataChange = changes[row]!
      const text = stats[row]!
      const rest = rests[row]!
      const add: AddFile =
        text === null
          ? { path, partitionValues, size, modificationTime, dataChange }
          : { path, partitionValues, size, modificationTime, dataChange, stats: text }
      return rest === null ? add : { ...restOf(rest), ...add }
    })
  }

  private partitionValues(text: string | null): PartitionValues {
    const key = text ?? '{}'
    const known = this.known.get(key)
    if (known !== undefined) return known
    const json = parseJson(key)
    assert(isJsonObject(json), 'a map prints as a JSON object')
    const values = new Map(Object.entries(json) as [string, string | null][])
    if (this.known.size < MAX_KNOWN_VALUES) this.known.set(key, values)
    return values
  }
}

/** Files of a chunk, each column read when it is asked for. */
export class ChunkFiles implements FileBatch {
  readonly numFiles: number
  private readonly chunk: DuckDBDataChunk

  constructor(chunk: DuckDBDataChunk) {
    this.chunk = chunk
    this.numFiles = chunk.rowCount
  }

  paths(): readonly string[] {
    return this.chunk.getColumnValues(0) as string[]
  }

  sizes(): readonly number[] {
    return (this.chunk.getColumnValues(1) as bigint[]).map((size) => safeNumber(size, 'size'))
  }

  partitionValues(): readonly PartitionValues[] {
    return (this.chunk.getColumnValues(2) as (DuckDBMapValue | null)[]).map(
      (map) => new Map((map?.entries ?? []).map(({ key, value }) => [key as string, value as string | null])),
    )
  }
}

/** Members of an add that lie in its `rest` text: either a bare object of members or a whole printed add. */
function restOf(text: string): Partial<AddFile> {
  const json = parseJson(text)
  assert(isJsonObject(json), 'the rest of an add is a JSON object')
  const members = isJsonObject(json.add) ? json.add : json
  const action = parseAction({ add: { ...members, path: '', size: 0 } })
  assert('add' in action, 'an add is read as an add')
  return action.add
}

export function removePage(chunk: DuckDBDataChunk): RemoveFile[] {
  return chunk.getColumnValues(0).map((text) => {
    const json = parseJson(text as string)
    const action = parseAction(isJsonObject(json) && isJsonObject(json.remove) ? json : { remove: json })
    assert('remove' in action, 'a remove is read as a remove')
    return action.remove
  })
}

function safeNumber(value: bigint, what: string): number {
  const number = Number(value)
  assert(Number.isSafeInteger(number), `the ${what} of a file, ${value}, is one that a number holds`)
  return number
}
