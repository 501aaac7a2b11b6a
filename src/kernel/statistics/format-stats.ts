/** `add.stats` from typed statistics: one text for both engines. */
import type { DataType, Value } from '../../schema/index.ts'
import { type BoundSide, formatBound } from './format-bound.ts'

/** What an engine found out about one leaf column of a file it wrote. */
export interface ColumnStatistics {
  /** physical names from the top level down */
  readonly path: readonly string[]
  readonly type: DataType
  /** rows in which the leaf is null, those of a null parent included; left out where it is not known */
  readonly nullCount?: number
  /**
   * The least and the greatest value that is not null, exact and uncut; absent or null when there is none or none is
   * known. NaN is greater than every number: a column that holds one has it as its `max`.
   */
  readonly min?: Value
  readonly max?: Value
}

export interface FileStatistics {
  readonly numRecords: number
  readonly columns: readonly ColumnStatistics[]
  /** UTF-16 units that string bounds are cut to */
  readonly stringPrefixLength: number
  /** written only when given */
  readonly tightBounds?: boolean
}

type Tree = Map<string, Tree | string>

/**
 * The JSON text of `add.stats`, keys by physical name in schema order.
 *
 * Bounds are never narrower than the given ones: texts are cut so that the minimum is not above and the maximum not
 * below in UTF-8 order, timestamps go to the outer millisecond, zeros to the outer zero. No bound is written for types
 * without one, for NaN and infinities, for years beyond four digits. A struct without bounds stays `{}`.
 *
 * Source: Delta protocol, "Per-file Statistics"
 */
export function formatStats(stats: FileStatistics): string {
  const minValues: Tree = new Map()
  const maxValues: Tree = new Map()
  const nullCount: Tree = new Map()
  for (const column of stats.columns) {
    setLeaf(minValues, column.path, boundText(column, 'min', stats.stringPrefixLength))
    setLeaf(maxValues, column.path, boundText(column, 'max', stats.stringPrefixLength))
    setLeaf(nullCount, column.path, column.nullCount === undefined ? undefined : String(column.nullCount))
  }
  const members = [
    `"numRecords":${stats.numRecords}`,
    `"minValues":${printTree(minValues)}`,
    `"maxValues":${printTree(maxValues)}`,
    `"nullCount":${printTree(nullCount)}`,
  ]
  if (stats.tightBounds !== undefined) members.push(`"tightBounds":${stats.tightBounds}`)
  return `{${members.join(',')}}`
}

function boundText(column: ColumnStatistics, side: BoundSide, stringPrefixLength: number): string | undefined {
  const { min, max } = column
  if (isNaNValue(min) || isNaNValue(max)) return undefined
  const value = side === 'min' ? min : max
  if (value === undefined || value === null) return undefined
  return formatBound(value, column.type, { side, stringPrefixLength })
}

function isNaNValue(value: Value | undefined): boolean {
  return typeof value === 'number' && Number.isNaN(value)
}

/** Makes the structs on the way even where the leaf has no text. */
function setLeaf(tree: Tree, path: readonly string[], text: string | undefined): void {
  let at = tree
  for (const name of path.slice(0, -1)) {
    let next = at.get(name)
    if (!(next instanceof Map)) {
      next = new Map()
      at.set(name, next)
    }
    at = next
  }
  if (text !== undefined) at.set(path.at(-1)!, text)
}

function printTree(tree: Tree): string {
  const members = Array.from(
    tree,
    ([name, child]) => `${JSON.stringify(name)}:${typeof child === 'string' ? child : printTree(child)}`,
  )
  return `{${members.join(',')}}`
}
