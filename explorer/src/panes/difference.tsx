/** Two versions side by side: rows, files, schema, and the change feed between them. */
import { useState } from 'preact/hooks'
import { briefName, formatCount } from '../format.ts'
import type { Difference } from '../messages.ts'
import type { Remote } from '../remote.ts'
import { useLoaded } from '../use-loaded.ts'
import { FailureBox, Working } from './failure.tsx'
import { type RowLine, RowTable } from './row-table.tsx'

interface Props {
  readonly remote: Remote
  readonly id: string
  readonly revision: number
  readonly earliest: number
  readonly latest: number
  readonly version: number
  readonly against: number
  readonly onAgainst: (version: number) => void
}

export function DifferencePane(props: Props) {
  const { remote, id, revision, version, against, earliest, latest, onAgainst } = props
  const [feed, setFeed] = useState(false)
  const [from, to] = against <= version ? [against, version] : [version, against]
  return (
    <section class="pane difference" aria-label="what changed">
      <header class="pane-head">
        <h2>
          v{from} → v{to}
        </h2>
        <label class="inline">
          <span class="quiet">compare with version</span>
          <input
            type="number"
            min={earliest}
            max={latest}
            value={against}
            onChange={(event) => {
              const wanted = event.currentTarget.valueAsNumber
              if (wanted >= earliest && wanted <= latest) onAgainst(wanted)
            }}
          />
        </label>
        <label class="inline">
          <input type="checkbox" checked={feed} onChange={(event) => setFeed(event.currentTarget.checked)} />
          <span>as change feed, commit by commit</span>
        </label>
      </header>
      {feed ? (
        <Feed remote={remote} id={id} revision={revision} from={from + (from < to ? 1 : 0)} to={to} />
      ) : (
        <Both remote={remote} id={id} revision={revision} from={from} to={to} />
      )}
    </section>
  )
}

interface Range {
  readonly remote: Remote
  readonly id: string
  readonly revision: number
  readonly from: number
  readonly to: number
}

function Both({ remote, id, revision, from, to }: Range) {
  const found = useLoaded(() => remote.difference(id, from, to), [id, revision, from, to])
  if (found.failure !== undefined) return <FailureBox failure={found.failure} />
  if (found.value === undefined) return <Working what="comparing the versions" />
  return <Found difference={found.value} />
}

function Found({ difference: found }: { difference: Difference }) {
  const rows: RowLine[] = [
    ...found.changed.flatMap((pair): RowLine[] => [
      { cells: pair.before, fate: 'gone', changed: pair.changed },
      { cells: pair.after, fate: 'changed', changed: pair.changed },
    ]),
    ...found.fresh.map((cells): RowLine => ({ cells, fate: 'new' })),
    ...found.gone.map((cells): RowLine => ({ cells, fate: 'gone' })),
  ]
  const facts = [
    [found.fresh.length, 'row', 'added'],
    [found.changed.length, 'row', 'changed'],
    [found.gone.length, 'row', 'removed'],
    [found.filesNew.length, 'file', 'added'],
    [found.filesGone.length, 'file', 'removed'],
    [found.filesKept, 'file', 'kept'],
  ] as const
  return (
    <>
      <ul class="tallies">
        {facts.map(([count, one, what]) => (
          <li key={one + what}>
            <strong>{count}</strong> {count === 1 ? one : `${one}s`} {what}
          </li>
        ))}
      </ul>
      <Lines title="Schema" lines={found.schema} />
      <Lines title="Properties" lines={found.properties} />
      <Lines title="Protocol" lines={found.protocol} />
      {rows.length === 0 ? (
        <p class="empty">The same rows at both versions{found.filesNew.length > 0 ? ', in other files' : ''}.</p>
      ) : (
        <RowTable label="rows that differ" columns={found.columns} rows={rows} withFates />
      )}
      {found.truncated && <p class="quiet">The versions differ by more rows than are compared here.</p>}
      <details class="drawer">
        <summary>
          <h3>Files</h3>
        </summary>
        <ul class="file-names">
          {found.filesGone.map((name) => (
            <li key={`-${name}`} class="minus">
              −{briefName(name)}
            </li>
          ))}
          {found.filesNew.map((name) => (
            <li key={`+${name}`} class="plus">
              +{briefName(name)}
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul class="lines">
        {lines.map((line) => (
          <li key={line}>
            <code>{line}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

const FEED_PAGE = 100
const FEED_FATES: Readonly<Record<string, 'new' | 'gone' | 'changed'>> = {
  insert: 'new',
  delete: 'gone',
  update_preimage: 'gone',
  update_postimage: 'changed',
}

function Feed({ remote, id, revision, from, to }: Range) {
  const [offset, setOffset] = useState(0)
  const feed = useLoaded(() => remote.changes(id, from, to, offset, FEED_PAGE), [id, revision, from, to, offset])
  if (feed.failure !== undefined) {
    return (
      <>
        <FailureBox failure={feed.failure} />
        <p class="quiet">Without a recorded feed, the comparison of two versions still tells which rows differ.</p>
      </>
    )
  }
  if (feed.value === undefined) return <Working what="reading the changes" />
  const { columns, rows, more } = feed.value
  const kind = columns.findIndex(({ name }) => name === '_change_type')
  return (
    <>
      <p class="quiet">
        {rows.length === 0 ? 'no change' : formatCount(rows.length, 'change')} from v{from} to v{to}
        {more && ', first page'}
      </p>
      {rows.length > 0 && (
        <RowTable
          label="change feed"
          columns={columns}
          rows={rows.map((cells) => ({ cells, fate: FEED_FATES[cells[kind] ?? ''] ?? 'new' }))}
          withFates
        />
      )}
      {(more || offset > 0) && (
        <p class="pager">
          <button type="button" disabled={offset === 0} onClick={() => setOffset(offset - FEED_PAGE)}>
            Previous
          </button>
          <button type="button" disabled={!more} onClick={() => setOffset(offset + FEED_PAGE)}>
            Next
          </button>
        </p>
      )}
    </>
  )
}
