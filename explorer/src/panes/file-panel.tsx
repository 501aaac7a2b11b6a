/** One data file: its rows, deleted ones struck through, its size, partition and statistics. */
import { useEffect, useRef } from 'preact/hooks'
import { formatBytes, formatCount } from '../format.ts'
import type { FileDetail } from '../messages.ts'
import type { Remote } from '../remote.ts'
import { useLoaded } from '../use-loaded.ts'
import { FailureBox, Working } from './failure.tsx'
import { RowTable } from './row-table.tsx'

interface Props {
  readonly remote: Remote
  readonly id: string
  readonly version: number
  readonly revision: number
  readonly path: string
  readonly onClose: () => void
}

export function FilePanel({ remote, id, version, revision, path, onClose }: Props) {
  const panel = useRef<HTMLElement>(null)
  const detail = useLoaded(() => remote.file(id, version, path), [id, version, revision, path])
  useEffect(() => panel.current?.focus({ preventScroll: true }), [path])
  return (
    <section
      ref={panel}
      class="pane file-panel"
      aria-label={`file ${path}`}
      tabIndex={-1}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <header class="pane-head">
        <h2>File</h2>
        <button type="button" class="plain" onClick={onClose}>
          close
        </button>
      </header>
      <p class="file-path">{path}</p>
      {detail.failure !== undefined && <FailureBox failure={detail.failure} />}
      {detail.value === undefined && detail.failure === undefined && <Working what="reading the file" />}
      {detail.value !== undefined && <Detail detail={detail.value} />}
    </section>
  )
}

function Detail({ detail }: { detail: FileDetail }) {
  return (
    <>
      <dl class="facts">
        <Fact name="size" value={formatBytes(detail.size)} />
        <Fact name="rows" value={detail.numRecords === null ? 'not told' : detail.numRecords.toLocaleString('en')} />
        {detail.deletedRows > 0 && <Fact name="marked deleted" value={formatCount(detail.deletedRows, 'row')} />}
        {detail.partition.map(([name, value]) => (
          <Fact key={name} name={name} value={value ?? 'null'} />
        ))}
      </dl>
      {detail.bounds.length === 0 ? (
        <p class="quiet">The log has no statistics of this file: no query can pass it over by them.</p>
      ) : (
        <section
          class="scroll short"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
          tabIndex={0}
          aria-label="statistics of the file"
        >
          <table>
            <thead>
              <tr>
                <th scope="col">column</th>
                <th scope="col">least</th>
                <th scope="col">greatest</th>
                <th scope="col">nulls</th>
              </tr>
            </thead>
            <tbody>
              {detail.bounds.map(({ column, min, max, nulls }) => (
                <tr key={column}>
                  <th scope="row">{column}</th>
                  <td>{min ?? '–'}</td>
                  <td>{max ?? '–'}</td>
                  <td>{nulls ?? '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <RowTable
        label="rows of the file"
        columns={detail.columns}
        rows={detail.rows.map(({ cells, deleted }) => ({ cells, ...(deleted && { fate: 'gone' as const }) }))}
        withFates={detail.deletedRows > 0}
      />
      {detail.more && <p class="quiet">The first {detail.rows.length} rows are shown.</p>}
    </>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
