/** What became of rows: two lists of rows, the same ones taken out, the others paired by a column that tells them apart. */
import type { Cell, PairedRow } from '../messages.ts'
import { rowKey } from './scan-rows.ts'

export interface RowsPaired {
  /** places in `before` */
  readonly gone: readonly number[]
  /** places in `after` */
  readonly fresh: readonly number[]
  readonly changed: readonly { readonly before: number; readonly after: number; readonly columns: readonly number[] }[]
}

type Rows = readonly (readonly Cell[])[]

/** @param names of the columns; one that ends in `id` or `key` tells rows apart before others do */
export function pairRows(before: Rows, after: Rows, names: readonly string[] = []): RowsPaired {
  const left = unmatched(before, after)
  const key = keyColumn(
    left.gone.map((i) => before[i]!),
    left.fresh.map((i) => after[i]!),
    names,
  )
  if (key === undefined) return { ...left, changed: [] }
  const byKey = new Map(left.fresh.map((i) => [after[i]![key], i]))
  const changed: { before: number; after: number; columns: number[] }[] = []
  for (const old of left.gone) {
    const now = byKey.get(before[old]![key])
    if (now === undefined) continue
    const columns = after[now]!.flatMap((cell, i) => (cell === (before[old]![i] ?? null) ? [] : [i]))
    changed.push({ before: old, after: now, columns })
  }
  const paired = {
    before: new Set(changed.map((pair) => pair.before)),
    after: new Set(changed.map((pair) => pair.after)),
  }
  return {
    gone: left.gone.filter((i) => !paired.before.has(i)),
    fresh: left.fresh.filter((i) => !paired.after.has(i)),
    changed,
  }
}

export function pairedRow(before: readonly Cell[], after: readonly Cell[], changed: readonly number[]): PairedRow {
  return { before, after, changed }
}

/** Places of rows that the other list does not hold, each row counted as often as it is there. */
function unmatched(before: Rows, after: Rows) {
  const counts = new Map<string, number>()
  for (const row of before) counts.set(rowKey(row), (counts.get(rowKey(row)) ?? 0) + 1)
  const fresh: number[] = []
  after.forEach((row, i) => {
    const count = counts.get(rowKey(row)) ?? 0
    if (count === 0) fresh.push(i)
    else counts.set(rowKey(row), count - 1)
  })
  const gone: number[] = []
  // from the end, so that of equal rows the last ones are gone
  for (let i = before.length - 1; i >= 0; i--) {
    const count = counts.get(rowKey(before[i]!)) ?? 0
    if (count === 0) continue
    counts.set(rowKey(before[i]!), count - 1)
    gone.unshift(i)
  }
  return { gone, fresh }
}

/** The first column whose values are all different on either side, a likely name first. */
function keyColumn(gone: Rows, fresh: Rows, names: readonly string[]): number | undefined {
  if (gone.length === 0 || fresh.length === 0) return undefined
  const columns = gone[0]!.map((_, i) => i)
  const likely = columns.filter((i) => /(^|_)(id|key|number|no)$/i.test(names[i] ?? ''))
  return [...likely, ...columns].find((i) => isUnique(gone, i) && isUnique(fresh, i))
}

function isUnique(rows: Rows, column: number): boolean {
  const values = new Set(rows.map((row) => row[column]))
  return values.size === rows.length && !values.has(null)
}
