/** A plain folder, a writer that is half done and a reader that knows nothing of it; and the same with a log. */
import { useState } from 'preact/hooks'
import { FailureBox, Working } from '../../panes/failure.tsx'
import { FolderPane } from '../../panes/folder.tsx'
import { failureFrom, useLoaded } from '../../use-loaded.ts'
import { usePlay } from '../play/use-play.ts'
import type { FigureProps } from './live-figure.tsx'

/** Twelve orders in three files, by one commit. */
const WHOLE = { from: 'first', rows: 'all' } as const
const NEW_FILE = 'part-of-today.csv'
const NEW_ROWS = 6
const STEP = 2

interface Reading {
  readonly count: number
  readonly when: string
}

/** Whoever opens every file of the folder gets the rows of every file. */
export function PlainFolderFigure({ remote, go, place, onState }: FigureProps) {
  const play = usePlay(
    remote,
    'guide-plain',
    async () => WHOLE,
    () => go({ version: null }),
  )
  const [rows, setRows] = useState(0)
  const [readings, setReadings] = useState<readonly Reading[]>([])
  const folder = useLoaded(
    async () => (play.opened === undefined ? undefined : await remote.folder(play.id, play.opened.latest)),
    [play.revision, play.opened],
  )
  if (play.begun !== null) return <FailureBox failure={play.begun} />
  if (play.state === undefined || folder.value === undefined) return <Working what="making the folder" />
  onState(play.state.calls)
  const total = folder.value.files.reduce((sum, file) => sum + (file.rows ?? 0), 0)
  const before = total - rows
  const write = async (next: number) => {
    setRows(next)
    play.adopt(await remote.plantFile(play.id, NEW_FILE, next))
  }
  const when = rows === 0 ? 'before the write' : rows < NEW_ROWS ? 'in the middle of the write' : 'after the write'
  return (
    <div class="figure">
      <div class="figure-buttons" role="toolbar" aria-label="writer and reader">
        <button
          type="button"
          class="primary"
          disabled={rows >= NEW_ROWS}
          onClick={() => void write(Math.min(NEW_ROWS, rows + STEP))}
        >
          Advance the write
        </button>
        <button type="button" class="primary" onClick={() => setReadings([...readings, { count: total, when }])}>
          Read the folder
        </button>
        <button
          type="button"
          onClick={() => {
            setReadings([])
            void write(0)
          }}
        >
          Start over
        </button>
      </div>
      <label class="progress-line">
        <span>
          The writer has written {rows} of {NEW_ROWS} rows of its file.
        </span>
        <progress max={NEW_ROWS} value={rows} />
      </label>
      <ol class="readings" aria-live="polite">
        {readings.map(({ count, when: at }, i) => (
          <li key={i} class={count === before || count === before + NEW_ROWS ? 'true-count' : 'false-count'}>
            <strong>{count} rows</strong>, read {at}.{' '}
            {count === before || count === before + NEW_ROWS
              ? 'A count that was true.'
              : 'A count that was never true, and nobody was told: no error.'}
          </li>
        ))}
      </ol>
      <FolderPane folder={folder.value} open={place.file} onOpen={() => undefined} plain />
    </div>
  )
}

/** The first figure: files, and the rows in them. */
export function StackFigure({ remote, place, go, onState }: FigureProps) {
  const start = WHOLE
  const play = usePlay(
    remote,
    'guide-folder',
    async () => start,
    () => go({ version: null }),
  )
  const [strays, setStrays] = useState(0)
  const folder = useLoaded(
    async () => (play.opened === undefined ? undefined : await remote.folder(play.id, play.opened.latest)),
    [play.revision, play.opened],
  )
  const file = useLoaded(
    async () =>
      place.file === '' || place.file.endsWith('.csv') ? undefined : await remote.file(play.id, 0, place.file),
    [place.file, play.revision],
  )
  if (play.begun !== null) return <FailureBox failure={play.begun} />
  if (play.state === undefined || folder.value === undefined) return <Working what="making the folder" />
  onState(play.state.calls)
  const { files } = folder.value
  const total = files.reduce((sum, { rows }) => sum + (rows ?? 0), 0)
  const plant = async () => {
    setStrays(strays + 1)
    play.adopt(await remote.plantFile(play.id, `stray-${strays + 1}.csv`, 3))
  }
  return (
    <div class="figure">
      <div class="figure-buttons" role="toolbar" aria-label="the folder">
        <button type="button" class="primary" onClick={() => void plant()}>
          Drop a stray file in
        </button>
        <button
          type="button"
          onClick={() => {
            setStrays(0)
            void play.begin(start)
          }}
        >
          Start over
        </button>
      </div>
      <p class="sum" role="status">
        {files.map(({ rows }) => rows ?? 0).join(' + ')} = <strong>{total} rows</strong>, for whoever opens every file
        {strays > 0 && ': the folder has no opinion about which files belong'}
      </p>
      <FolderPane
        folder={folder.value}
        open={place.file}
        onOpen={(path) => go({ file: place.file === path ? '' : path })}
        plain
      />
      {file.value !== undefined && place.file !== '' && (
        <ul class="orders-of-file" aria-label="orders in the file">
          {file.value.rows.map(({ cells }) => (
            <li key={cells[0]}>
              <strong>{cells[0]}</strong> {cells[1]}, {cells[2]}, {cells[4]}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** The same write, with a log: the file counts from the moment that the commit names it. */
export function LogFigure({ remote, place, go, onState }: FigureProps) {
  const play = usePlay(
    remote,
    'guide-log',
    async () => WHOLE,
    () => go({ version: null }),
  )
  const [phase, setPhase] = useState<'idle' | 'read' | 'written' | 'committed'>('idle')
  const [readings, setReadings] = useState<readonly string[]>([])
  const folder = useLoaded(
    async () => (play.opened === undefined ? undefined : await remote.folder(play.id, play.opened.latest)),
    [play.revision, play.opened],
  )
  if (play.begun !== null) return <FailureBox failure={play.begun} />
  if (play.state === undefined || folder.value === undefined) return <Working what="making the table" />
  onState(play.state.calls)
  const { id } = play
  const refresh = async () => play.adopt(await remote.look(id))
  const advance = async () => {
    try {
      if (phase === 'idle') {
        const call = { op: 'append', rows: TODAY_ROWS, mergeSchema: false } as const
        await remote.laneStart(id, 'A', call, false)
      }
      const [lane] = await remote.laneStep(id, 'A')
      setPhase(lane?.phase === 'committed' ? 'committed' : 'written')
      await refresh()
    } catch (error) {
      setReadings([...readings, failureFrom(error).message])
    }
  }
  const read = async () => {
    const { latest } = await remote.look(id).then(({ opened }) => opened)
    const { total } = await remote.rows(id, latest, { where: '', offset: 0, limit: 200, sort: null, fates: false })
    setReadings([...readings, `${total} rows at version ${latest}`])
  }
  return (
    <div class="figure">
      <div class="figure-buttons" role="toolbar" aria-label="writer and reader">
        <button type="button" class="primary" disabled={phase !== 'idle'} onClick={() => void advance()}>
          Write the data file
        </button>
        <button type="button" class="primary" disabled={phase !== 'written'} onClick={() => void advance()}>
          Commit
        </button>
        <button type="button" class="primary" onClick={() => void read()}>
          Read the table
        </button>
        <button
          type="button"
          onClick={async () => {
            await remote.laneReset(id)
            setPhase('idle')
            setReadings([])
            await play.begin(WHOLE)
          }}
        >
          Start over
        </button>
      </div>
      <p class="sum" role="status">
        {phase === 'idle' && 'The writer has not begun.'}
        {phase === 'written' &&
          'The file lies in the folder, whole. No entry of the log names it: it is no part of the table.'}
        {phase === 'committed' && 'One small entry names the file: from now on it counts.'}
      </p>
      <ol class="readings" aria-live="polite">
        {readings.map((text, i) => (
          <li key={i} class="true-count">
            <strong>{text}</strong>
          </li>
        ))}
      </ol>
      <FolderPane
        folder={folder.value}
        open={place.file}
        onOpen={(file) => go({ file: place.file === file ? '' : file })}
      />
    </div>
  )
}

const TODAY_ROWS = [1, 2, 3, 4, 5, 6].map((n) => {
  return Object.entries({
    order_id: String(1060 + n),
    customer: 'Nowak',
    country: 'DE',
    month: '2024-04',
    amount: `${n}0.00`,
    updated_at: '2024-04-09 08:00:00',
  })
})
