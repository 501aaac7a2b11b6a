/** What a reader gets at the chosen version, a page at a time, and what the version's commit made of it. */
import { useEffect, useState } from 'preact/hooks'
import { formatCount, sqlLiteral } from '../format.ts'
import type { Cell, ColumnHead, RowPage, RowsQuery } from '../messages.ts'
import type { Remote } from '../remote.ts'
import { useLoaded } from '../use-loaded.ts'
import { FailureBox, Working } from './failure.tsx'
import { type RowLine, RowTable } from './row-table.tsx'
import { WhereBox } from './where.tsx'

const PAGE_ROWS = 50

interface Props {
  readonly remote: Remote
  readonly id: string
  readonly version: number
  /** changes when the same version may hold something else */
  readonly revision: number
  readonly where: string
  readonly onWhere: (where: string) => void
  /** shows the history of a row */
  readonly onFollow?: (predicate: string) => void
  readonly firstSort?: RowsQuery['sort']
  readonly fates: boolean
  readonly title?: string
}

export function RowsPane(props: Props) {
  const { remote, id, version, revision, where, onWhere, fates, firstSort = null } = props
  const [offset, setOffset] = useState(0)
  const [sort, setSort] = useState<RowsQuery['sort']>(firstSort)
  useEffect(() => setOffset(0), [id, version, where])
  const query: RowsQuery = { where, offset, limit: PAGE_ROWS, sort, fates }
  const page = useLoaded(() => remote.rows(id, version, query), [id, version, revision, where, offset, sort])
  const onSort = (column: number) => {
    setOffset(0)
    setSort(
      sort?.column === column ? (sort.descending ? null : { column, descending: true }) : { column, descending: false },
    )
  }
  return (
    <section class="pane rows" aria-label="rows" aria-busy={page.loading}>
      <header class="pane-head">
        <h2>{props.title ?? 'Rows'}</h2>
        <span class="quiet">{page.value === undefined ? '' : totalText(page.value, version)}</span>
      </header>
      <WhereBox where={where} onWhere={onWhere} />
      {page.failure !== undefined && <FailureBox failure={page.failure} />}
      {page.value === undefined && page.failure === undefined && <Working what="reading rows" />}
      {page.value !== undefined && <Answer page={page.value} sort={sort} onSort={onSort} {...props} />}
      {page.value !== undefined && (offset > 0 || page.value.more) && (
        <p class="pager">
          <button type="button" disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE_ROWS))}>
            Previous
          </button>
          <span>{rangeText(offset, page.value.rows.length)}</span>
          <button type="button" disabled={!page.value.more} onClick={() => setOffset(offset + PAGE_ROWS)}>
            Next
          </button>
        </p>
      )}
    </section>
  )
}

interface AnswerProps extends Props {
  readonly page: RowPage
  readonly sort: RowsQuery['sort']
  readonly onSort: (column: number) => void
}

function Answer({ page, sort, onSort, onFollow, fates }: AnswerProps) {
  const follow = (cells: readonly Cell[]) => {
    if (onFollow === undefined) return undefined
    const predicate = rowPredicate(page.columns, cells)
    return (
      <button type="button" class="plain follow" onClick={() => onFollow(predicate)}>
        history<span class="visually-hidden"> of the row where {predicate}</span>
      </button>
    )
  }
  const rows = page.rows.map((cells, i): RowLine => {
    return {
      cells,
      ...(page.fates !== null && { fate: page.fates[i]!, changed: page.changed?.[i] ?? [] }),
      end: follow(cells),
    }
  })
  const gone = page.gone.map((cells): RowLine => ({ cells, fate: 'gone', end: follow(cells) }))
  if (rows.length === 0 && gone.length === 0) {
    return <p class="empty">No row. The columns are {page.columns.map(({ name }) => name).join(', ')}.</p>
  }
  return (
    <RowTable
      label="table of rows"
      columns={page.columns}
      rows={[...rows, ...(page.more ? [] : gone)]}
      sort={sort}
      onSort={onSort}
      withFates={fates && page.fates !== null}
      {...(onFollow === undefined ? {} : { endTitle: 'history' })}
    />
  )
}

function totalText(page: RowPage, version: number): string {
  const total = page.total === null ? 'more than one page' : formatCount(page.total, 'row')
  if (page.fates === null) return total
  const counted = (fate: string) => page.fates?.filter((found) => found === fate).length ?? 0
  const facts = [
    [counted('new'), 'new'],
    [counted('changed'), 'changed'],
    [page.gone.length, 'gone'],
  ].filter(([count]) => count !== 0)
  const did = facts.length === 0 ? 'no row changed' : facts.map(([count, word]) => `${count} ${word}`).join(', ')
  return `${total} at v${version}; ${did} in its commit`
}

function rangeText(offset: number, shown: number): string {
  return shown === 0
    ? 'no rows'
    : `rows ${(offset + 1).toLocaleString('en')} to ${(offset + shown).toLocaleString('en')}`
}

/** The row by a column that looks like a key, or by its first one. */
export function rowPredicate(columns: readonly ColumnHead[], cells: readonly Cell[]): string {
  const likely = columns.findIndex(({ name }) => /(^|_)(id|key|number|no)$/i.test(name))
  const column = likely === -1 ? 0 : likely
  const { name, type } = columns[column] ?? { name: '', type: '' }
  const quoted = /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replaceAll('`', '``')}\``
  const value = cells[column] ?? null
  return value === null ? `${quoted} is null` : `${quoted} = ${sqlLiteral(value, type)}`
}
