/** Layouts and questions: which files have to be opened, and by what they are passed over. */
import { useState } from 'preact/hooks'
import { formatCount } from '../../format.ts'
import type { FolderFile } from '../../messages.ts'
import { FailureBox, Working } from '../../panes/failure.tsx'
import { FolderPane } from '../../panes/folder.tsx'
import { WhereBox } from '../../panes/where.tsx'
import { useLoaded } from '../../use-loaded.ts'
import { usePlay } from '../play/use-play.ts'
import type { FigureProps } from './live-figure.tsx'
import { SECOND_CALL } from './starts.ts'

const LAYOUTS = {
  none: { title: 'no partitions', partitionBy: [] },
  country: { title: 'by country', partitionBy: ['country'] },
  both: { title: 'by country and month', partitionBy: ['country', 'month'] },
} as const
type Layout = keyof typeof LAYOUTS

const QUESTIONS = {
  country: { title: "country = 'DE'", where: "country = 'DE'" },
  month: { title: "month = '2024-03'", where: "month = '2024-03'" },
  both: { title: 'both', where: "country = 'DE' and month = '2024-03'" },
} as const
type Question = keyof typeof QUESTIONS

export function LayoutFigure(props: FigureProps) {
  const [layout, setLayout] = useState<Layout>('none')
  const [question, setQuestion] = useState<Question>('country')
  return (
    <div class="figure">
      <Choice
        title="Layout"
        chosen={layout}
        options={Object.entries(LAYOUTS).map(([key, { title }]) => [key, title])}
        onChoose={(key) => setLayout(key as Layout)}
      />
      <Choice
        title="Question"
        chosen={question}
        options={Object.entries(QUESTIONS).map(([key, { title }]) => [key, title])}
        onChoose={(key) => setQuestion(key as Question)}
      />
      <LaidOut key={layout} {...props} layout={layout} where={QUESTIONS[question].where} />
    </div>
  )
}

interface ChoiceProps {
  readonly title: string
  readonly chosen: string
  readonly options: readonly (readonly [string, string])[]
  readonly onChoose: (key: string) => void
}

export function Choice({ title, chosen, options, onChoose }: ChoiceProps) {
  return (
    <fieldset class="choice">
      <legend>{title}</legend>
      {options.map(([key, text]) => (
        <label key={key}>
          <input type="radio" name={title} value={key} checked={key === chosen} onChange={() => onChoose(key)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** Partition pruning alone: what statistics add is the next chapter's. */
function LaidOut({ remote, place, go, onState, layout, where }: FigureProps & { layout: Layout; where: string }) {
  const { partitionBy } = LAYOUTS[layout]
  const start = { from: 'first', partitionBy, calls: layout === 'none' ? [SECOND_CALL] : [] } as const
  const play = usePlay(
    remote,
    `guide-layout-${layout}`,
    async () => layoutStart(start),
    () => go({ version: null }),
  )
  return <Opened {...{ remote, place, go, onState, where, play }} without={['statistics']} />
}

/** Twelve orders at once where they are laid out in folders, so that each folder has one file. */
function layoutStart(start: {
  readonly from: 'first'
  readonly partitionBy: readonly string[]
  readonly calls: readonly (typeof SECOND_CALL)[]
}) {
  return start.partitionBy.length === 0 ? start : { ...start, rows: 'all' as const }
}

interface OpenedProps extends FigureProps {
  readonly where: string
  readonly play: ReturnType<typeof usePlay>
  readonly without: readonly ('partition' | 'statistics')[]
}

function Opened({ remote, place, go, onState, where, play, without }: OpenedProps) {
  const version = play.opened?.latest ?? 0
  const found = useLoaded(async () => {
    if (play.opened === undefined) return undefined
    const folder = await remote.folder(play.id, version)
    const files = await remote.files(play.id, version, { where, offset: 0, limit: 200, without })
    const rows = await remote.rows(play.id, version, { where, offset: 0, limit: 200, sort: null, fates: false })
    return { folder, files, rows }
  }, [play.revision, play.opened, where, without.join()])
  if (play.begun !== null) return <FailureBox failure={play.begun} />
  if (found.failure !== undefined) return <FailureBox failure={found.failure} />
  if (found.value === undefined) return <Working what="laying the table out" />
  onState(play.state?.calls ?? null)
  const { folder, files, rows } = found.value
  const skipped = new Map(
    files.files.flatMap(({ path, outcome }) => (outcome?.kept === false ? [[path, outcome.reason]] : [])),
  )
  const live = { ...folder, files: folder.files.filter(({ state }) => state === 'live').map(untouched) }
  const average = live.files.reduce((sum, file) => sum + (file.rows ?? 0), 0) / Math.max(1, live.files.length)
  return (
    <>
      <ul class="tallies" aria-live="polite">
        <li>
          <strong>
            {files.kept} of {files.total}
          </strong>{' '}
          files opened
        </li>
        <li>
          <strong>{files.byPartition}</strong> passed over by partition
        </li>
        <li>
          <strong>{files.byStatistics}</strong> by statistics
        </li>
        <li>
          <strong>{rows.total ?? rows.rows.length}</strong> rows match
        </li>
        <li>
          <strong>{average.toFixed(average % 1 === 0 ? 0 : 1)}</strong> rows a file on average
        </li>
      </ul>
      <FolderPane
        folder={live}
        open={place.file}
        onOpen={(path) => go({ file: place.file === path ? '' : path })}
        skipped={skipped}
      />
    </>
  )
}

/** How the files came to be is not what the chapter is about. */
function untouched(file: FolderFile): FolderFile {
  return { ...file, touched: null }
}

/** No folders at all: the bounds in the log rule files out. */
export function SkippingFigure(props: FigureProps) {
  const { remote, go, place } = props
  const where = place.where === '' ? "order_id = '1043'" : place.where
  const [without, setWithout] = useState(false)
  const play = usePlay(
    remote,
    'guide-skipping',
    async () => ({ from: 'first', calls: [SECOND_CALL] }),
    () => go({ version: null }),
  )
  return (
    <div class="figure">
      <WhereBox where={where} onWhere={(text) => go({ where: text })} />
      <p class="toggles">
        {EXAMPLES.map((example) => (
          <button key={example} type="button" class="plain mono" onClick={() => go({ where: example })}>
            {example}
          </button>
        ))}
        <label class="inline">
          <input type="checkbox" checked={without} onChange={(event) => setWithout(event.currentTarget.checked)} />
          <span>without statistics</span>
        </label>
      </p>
      <Opened {...props} where={where} play={play} without={without ? ['statistics'] : []} />
      <Reasons {...props} where={where} play={play} without={without ? ['statistics'] : []} />
    </div>
  )
}

const EXAMPLES = [
  "order_id = '1043'",
  "order_id > '1048'",
  'amount > 1000',
  "customer = 'Wolf'",
  "country = 'DE'",
  'customer is null',
]

function Reasons({ remote, where, play, without }: OpenedProps) {
  const version = play.opened?.latest ?? 0
  const files = useLoaded(
    async () =>
      play.opened === undefined
        ? undefined
        : await remote.files(play.id, version, { where, offset: 0, limit: 200, without }),
    [play.revision, play.opened, where, without.join()],
  )
  if (files.value === undefined) return null
  return (
    <ul class="reasons" aria-label="files and reasons">
      {files.value.files.map(({ path, outcome, numRecords }) => (
        <li key={path} class={outcome?.kept === false ? 'skipped' : ''}>
          <strong>{outcome?.kept === false ? 'skipped' : 'opened'}</strong> <code>{path.slice(0, 13)}</code>{' '}
          {formatCount(numRecords ?? 0, 'row')}: {outcome?.reason}
        </li>
      ))}
    </ul>
  )
}
