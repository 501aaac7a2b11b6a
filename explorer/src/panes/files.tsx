/** The files live at the chosen version and, under a predicate, why each is read or passed over. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatBytes, formatCount } from '../format.ts'
import type { FileLine, FilePage, FilesQuery } from '../messages.ts'
import type { Remote } from '../remote.ts'
import { useLoaded } from '../use-loaded.ts'
import { FailureBox, Working } from './failure.tsx'
import { FilePanel } from './file-panel.tsx'
import { VirtualList } from './virtual-list.tsx'
import { WhereBox } from './where.tsx'

const PAGE = 200
const LINE_HEIGHT = 58

interface Props {
  readonly remote: Remote
  readonly id: string
  readonly version: number
  readonly revision: number
  readonly where: string
  readonly onWhere: (where: string) => void
  readonly file: string
  readonly onFile: (path: string) => void
}

type Left = FilesQuery['without'][number]

export function FilesPane({ remote, id, version, revision, where, onWhere, file, onFile }: Props) {
  const [without, setWithout] = useState<readonly Left[]>([])
  const [tree, setTree] = useState(false)
  const query = { where, without, limit: PAGE, offset: 0 }
  const page = useLoaded(() => remote.files(id, version, query), [id, version, revision, where, without.join()])
  const toggle = (left: Left) =>
    setWithout(without.includes(left) ? without.filter((name) => name !== left) : [...without, left])
  return (
    <section class="pane files" aria-label="files" aria-busy={page.loading}>
      <WhereBox where={where} onWhere={onWhere} />
      <p class="toggles">
        <label class="inline">
          <input type="checkbox" checked={tree} onChange={(event) => setTree(event.currentTarget.checked)} />
          <span>by partition</span>
        </label>
        {where !== '' && (
          <label class="inline">
            <input type="checkbox" checked={without.includes('statistics')} onChange={() => toggle('statistics')} />
            <span>without statistics</span>
          </label>
        )}
      </p>
      {page.failure !== undefined && <FailureBox failure={page.failure} />}
      {page.value === undefined && page.failure === undefined && <Working what="listing the live files" />}
      {page.value !== undefined && <Totals page={page.value} filtered={where !== ''} />}
      {tree && <Partitions remote={remote} id={id} version={version} onWhere={onWhere} />}
      {!tree && page.value !== undefined && (
        <FileList
          key={`${id} ${version} ${where} ${without.join()}`}
          first={page.value}
          load={(offset) => remote.files(id, version, { ...query, offset })}
          file={file}
          onFile={onFile}
        />
      )}
      {file !== '' && (
        <FilePanel
          remote={remote}
          id={id}
          version={version}
          revision={revision}
          path={file}
          onClose={() => onFile('')}
        />
      )}
    </section>
  )
}

function Totals({ page, filtered }: { page: FilePage; filtered: boolean }) {
  const skipped = page.total - page.kept
  return (
    <>
      <p class="totals">
        {formatCount(page.total, 'live file')}, {formatBytes(page.totalBytes)}
        {filtered && `, ${formatCount(page.kept, 'file')} to read, ${formatCount(skipped, 'file')} skipped`}
      </p>
      {filtered && page.total > 0 && (
        <div class="skip-bar">
          <meter min={0} max={page.total} value={page.kept} aria-label="files to read" />
          <span class="quiet">
            {formatBytes(page.skippedBytes)} of {formatBytes(page.totalBytes)} need not be read:{' '}
            {formatCount(page.byPartition, 'file')} by partition, {page.byStatistics.toLocaleString('en')} by statistics
          </span>
        </div>
      )}
    </>
  )
}

interface ListProps {
  readonly first: FilePage
  readonly load: (offset: number) => Promise<FilePage>
  readonly file: string
  readonly onFile: (path: string) => void
}

/** Pages come when they are scrolled to. */
function FileList({ first, load, file, onFile }: ListProps) {
  const [, redraw] = useState(0)
  const pages = useRef(new Map<number, readonly FileLine[]>())
  useEffect(() => {
    pages.current.set(0, first.files)
    redraw((count) => count + 1)
  }, [first])
  const need = (from: number, to: number) => {
    for (let page = Math.floor(from / PAGE); page <= Math.floor(to / PAGE); page++) {
      if (pages.current.has(page) || page < 0) continue
      pages.current.set(page, [])
      void load(page * PAGE).then(({ files }) => {
        pages.current.set(page, files)
        redraw((count) => count + 1)
      })
    }
  }
  if (first.total === 0) return <p class="empty">No file: the table is empty at this version.</p>
  return (
    <VirtualList
      label="live files"
      count={first.total}
      lineHeight={LINE_HEIGHT}
      onView={need}
      render={(index) => {
        const line =
          pages.current.get(Math.floor(index / PAGE))?.[index % PAGE] ?? (index < PAGE ? first.files[index] : undefined)
        return line === undefined ? (
          <span class="quiet">…</span>
        ) : (
          <FileButton line={line} open={line.path === file} onFile={onFile} />
        )
      }}
    />
  )
}

function FileButton({ line, open, onFile }: { line: FileLine; open: boolean; onFile: (path: string) => void }) {
  const { outcome, numRecords, deletedRows } = line
  return (
    <button
      type="button"
      class={`file${outcome?.kept === false ? ' skipped' : ''}`}
      aria-expanded={open}
      onClick={() => onFile(open ? '' : line.path)}
    >
      <span class="file-head">
        <span class="file-rows">
          {numRecords === null ? 'rows unknown' : formatCount(numRecords - deletedRows, 'row')}
        </span>
        <span class="quiet">{formatBytes(line.size)}</span>
        {deletedRows > 0 && <span class="tag">{formatCount(deletedRows, 'row')} deleted</span>}
        {outcome !== null && (
          <span class="outcome">
            {outcome.kept ? '' : 'skipped: '}
            {outcome.reason}
          </span>
        )}
      </span>
      <span class="file-path">{line.path}</span>
    </button>
  )
}

interface PartitionsProps {
  readonly remote: Remote
  readonly id: string
  readonly version: number
  readonly onWhere: (where: string) => void
}

function Partitions({ remote, id, version, onWhere }: PartitionsProps) {
  const lines = useLoaded(() => remote.partitions(id, version), [id, version])
  if (lines.failure !== undefined) return <FailureBox failure={lines.failure} />
  if (lines.value === undefined) return <Working what="counting the partitions" />
  if (lines.value.length <= 1 && lines.value[0]?.values.length === 0) {
    return <p class="empty">The table has no partition column: its files lie side by side.</p>
  }
  return (
    <ul class="partitions">
      {lines.value.map(({ values, files, bytes, rows }) => (
        <li key={JSON.stringify(values)}>
          <button type="button" class="partition" onClick={() => onWhere(predicateOfPartition(values))}>
            <span class="partition-name">
              {values.map(([name, value]) => `${name}=${value ?? 'null'}`).join(' / ')}
            </span>
            <span class="quiet">
              {formatCount(files, 'file')}, {formatBytes(bytes)}
              {rows === null ? '' : `, ${formatCount(rows, 'row')}`}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

function predicateOfPartition(values: readonly (readonly [string, string | null])[]): string {
  return values
    .map(([name, value]) => {
      const quoted = /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replaceAll('`', '``')}\``
      return value === null
        ? `${quoted} is null`
        : `${quoted} = '${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    })
    .join(' and ')
}
