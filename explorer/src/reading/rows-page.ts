/** A page of the rows a reader gets, and what the version's commit made of them. */
import { type BoundExpression, planScan, type Snapshot } from '../library.ts'
import type { Cell, RowFate, RowPage, RowsQuery } from '../messages.ts'
import type { TableContext } from './context.ts'
import { differingRows } from './difference.ts'
import { cellOf, headsOf, predicateOf, rowKey, scanFiles } from './scan-rows.ts'

/** More rows than this are not sorted: they would not fit. */
const MAX_SORTED = 100_000
const MAX_GONE = 50

export async function rowsPage(context: TableContext, version: number, query: RowsQuery): Promise<RowPage> {
  const snapshot = await context.snapshot(version)
  const filter = predicateOf(query.where, snapshot)
  const { rows, more, total } =
    query.sort === null
      ? await readPage(context, snapshot, filter, query)
      : await readSorted(context, snapshot, filter, query)
  const page = { columns: headsOf(snapshot.schema), rows, more, total }
  if (!query.fates || version <= context.earliest) return { ...page, fates: null, changed: null, gone: [] }
  return { ...page, ...(await fatesOf(context, version, rows, query.where === '')) }
}

interface Read {
  readonly rows: readonly (readonly Cell[])[]
  readonly more: boolean
  readonly total: number | null
}

/** Reads one row more than the page shows, to know whether there is a next page. */
async function readPage(
  { store, engine }: TableContext,
  snapshot: Snapshot,
  filter: BoundExpression | undefined,
  { offset, limit }: RowsQuery,
): Promise<Read> {
  const { fields } = snapshot.schema
  const plan = {
    store,
    layout: snapshot.layout,
    files: await planScan(snapshot, filter),
    columns: fields.map((_, index) => index),
    limit: offset + limit + 1,
    ...(filter !== undefined && { filter }),
  }
  const rows: Cell[][] = []
  let seen = 0
  for await (const batch of engine.scan(plan)) {
    for (let row = Math.max(0, offset - seen); row < batch.numRows && rows.length <= limit; row++) {
      rows.push(fields.map(({ type }, index) => cellOf(batch.column(index)[row] ?? null, type)))
    }
    seen += batch.numRows
    if (rows.length > limit) break
  }
  const more = rows.length > limit
  return { rows: rows.slice(0, limit), more, total: more ? null : offset + rows.length }
}

async function readSorted(
  context: TableContext,
  snapshot: Snapshot,
  filter: BoundExpression | undefined,
  { offset, limit, sort }: RowsQuery,
): Promise<Read> {
  const files = await planScan(snapshot, filter)
  const all = await scanFiles(context, snapshot, files, { filter, limit: MAX_SORTED })
  if (all.length > MAX_SORTED)
    return await readPage(context, snapshot, filter, { where: '', offset, limit, sort: null, fates: false })
  const { column, descending } = sort!
  const numeric = /^(byte|short|int|integer|long|bigint|smallint|tinyint|float|double|decimal)/i.test(
    headsOf(snapshot.schema)[column]?.type ?? '',
  )
  const rows = all.map(({ cells }) => cells)
  rows.sort((a, b) => compareCells(a[column] ?? null, b[column] ?? null, numeric) * (descending ? -1 : 1))
  return { rows: rows.slice(offset, offset + limit), more: rows.length > offset + limit, total: rows.length }
}

/** Nulls come first, as Spark sorts them. */
function compareCells(a: Cell, b: Cell, numeric: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1
  if (numeric && Number(a) !== Number(b)) return Number(a) - Number(b)
  return a < b ? -1 : a > b ? 1 : 0
}

async function fatesOf(
  context: TableContext,
  version: number,
  rows: readonly (readonly Cell[])[],
  withGone: boolean,
): Promise<Pick<RowPage, 'fates' | 'changed' | 'gone'>> {
  const found = await differingRows(context, version - 1, version).catch(() => undefined)
  if (found === undefined || found.truncated) return { fates: null, changed: null, gone: [] }
  const { before, after, paired } = found
  const fresh = new Map<string, number>()
  for (const i of paired.fresh) fresh.set(rowKey(after[i]!.cells), (fresh.get(rowKey(after[i]!.cells)) ?? 0) + 1)
  const changes = new Map(paired.changed.map((pair) => [rowKey(after[pair.after]!.cells), pair.columns]))
  const fates: RowFate[] = []
  const changed: (readonly number[])[] = []
  for (const row of rows) {
    const key = rowKey(row)
    const columns = changes.get(key)
    const count = fresh.get(key) ?? 0
    if (count > 0) fresh.set(key, count - 1)
    fates.push(columns !== undefined ? 'changed' : count > 0 ? 'new' : 'same')
    changed.push(columns ?? [])
  }
  const gone = withGone ? paired.gone.slice(0, MAX_GONE).map((i) => before[i]!.cells) : []
  return { fates, changed, gone }
}
