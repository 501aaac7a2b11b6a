/** The tables of a version at any snapshot of its catalog, and the rows of one. */
import { useEffect, useState } from 'preact/hooks'
import type { LakeView, SnapshotLine } from '../../../../src/cli/explore/repository-messages.ts'
import { formatBytes, formatCount } from '../../format.ts'
import type { Place } from '../../location.ts'
import type { Cell, ColumnHead } from '../../messages.ts'
import { FailureBox, Working } from '../../panes/failure.tsx'
import { RowTable } from '../../panes/row-table.tsx'
import { askServed } from '../../served.ts'
import { useLoaded } from '../../use-loaded.ts'

const PAGE_ROWS = 100

interface Props {
  readonly id: string
  readonly place: Place
  readonly go: (change: Partial<Place>) => void
}

export function LakePane({ id, place, go }: Props) {
  const { snapshot, name } = place
  const at = snapshot === null ? '' : `?snapshot=${snapshot}`
  const lake = useLoaded(
    () => askServed<LakeView>(`api/repository/versions/${encodeURIComponent(id)}/lake${at}`),
    [id, snapshot],
  )
  if (lake.failure !== undefined) return <FailureBox failure={lake.failure} />
  if (lake.value === undefined) return <Working what="opening the catalog" />
  const { tables, snapshots, ducklake } = lake.value
  const table = tables.find((candidate) => candidate.name === name) ?? tables[0]
  return (
    <section class="pane lake" aria-label="tables" aria-busy={lake.loading}>
      <Snapshots
        lines={snapshots}
        chosen={lake.value.snapshot}
        onChoose={(next) => go({ snapshot: next === snapshots[0]?.id ? null : next })}
      />
      <p class="quiet">Read from its DuckLake {ducklake} catalog.</p>
      {tables.length === 0 ? (
        <p class="empty">No table at snapshot {lake.value.snapshot}: choose a later one.</p>
      ) : (
        <Tables lake={lake.value} chosen={table?.name} onChoose={(next) => go({ name: next })} />
      )}
      {table !== undefined && <Rows key={table.name} id={id} snapshot={lake.value.snapshot} table={table.name} />}
    </section>
  )
}

interface SnapshotsProps {
  readonly lines: readonly SnapshotLine[]
  readonly chosen: number
  readonly onChoose: (id: number) => void
}

/** Newest first in the list; the slider goes from the oldest to the newest. */
function Snapshots({ lines, chosen, onChoose }: SnapshotsProps) {
  const place = lines.findIndex(({ id }) => id === chosen)
  const line = lines[place]
  const last = lines.length - 1
  return (
    <div class="snapshots">
      <label class="slider">
        <span>snapshot {chosen}</span>
        <input
          type="range"
          min={0}
          max={last}
          value={last - place}
          aria-valuetext={`snapshot ${chosen}, ${line?.changes ?? ''}`}
          onInput={(event) => onChoose(lines[last - Number(event.currentTarget.value)]!.id)}
        />
      </label>
      {line !== undefined && (
        <p>
          {line.time} <code>{line.changes === '' ? 'no change' : line.changes}</code>
          {line.message !== null && ` ${line.message}`}
          {line.author !== null && <span class="quiet"> by {line.author}</span>}
        </p>
      )}
    </div>
  )
}

interface TablesProps {
  readonly lake: LakeView
  readonly chosen: string | undefined
  readonly onChoose: (name: string) => void
}

function Tables({ lake: { tables }, chosen, onChoose }: TablesProps) {
  return (
    <ul class="lake-tables">
      {tables.map(({ name, columns, rows, files, bytes }) => (
        <li key={name}>
          <button type="button" class="partition" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
            <span class="partition-name">{name}</span>
            <span class="quiet">
              {formatCount(rows, 'row')}, {formatCount(columns, 'column')}, {formatCount(files, 'file')},{' '}
              {formatBytes(bytes)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

interface RowsAnswer {
  readonly columns: readonly ColumnHead[]
  readonly rows: readonly (readonly Cell[])[]
  readonly more: boolean
}

function Rows({ id, snapshot, table }: { id: string; snapshot: number; table: string }) {
  const [offset, setOffset] = useState(0)
  useEffect(() => setOffset(0), [snapshot])
  const query = new URLSearchParams({ snapshot: String(snapshot), table, offset: String(offset) })
  const path = `api/repository/versions/${encodeURIComponent(id)}/rows?${query}`
  const page = useLoaded(() => askServed<RowsAnswer>(path), [path])
  if (page.failure !== undefined) return <FailureBox failure={page.failure} />
  if (page.value === undefined) return <Working what="reading rows" />
  const { columns, rows, more } = page.value
  return (
    <section class="rows" aria-label={`rows of ${table}`} aria-busy={page.loading}>
      {rows.length === 0 ? (
        <p class="empty">No row. The columns are {columns.map(({ name }) => name).join(', ')}.</p>
      ) : (
        <RowTable label={`rows of ${table}`} columns={columns} rows={rows.map((cells) => ({ cells }))} />
      )}
      {(offset > 0 || more) && (
        <p class="pager">
          <button type="button" disabled={offset === 0} onClick={() => setOffset(offset - PAGE_ROWS)}>
            Previous
          </button>
          <span>
            rows {(offset + 1).toLocaleString('en')} to {(offset + rows.length).toLocaleString('en')}
          </span>
          <button type="button" disabled={!more} onClick={() => setOffset(offset + PAGE_ROWS)}>
            Next
          </button>
        </p>
      )}
    </section>
  )
}
