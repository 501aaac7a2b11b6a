/** Two writers in two lanes: each reads, writes its files and commits, in whatever order the buttons are pressed. */
import { useState } from 'preact/hooks'
import type { Call } from '../../calls/call.ts'
import { printSql } from '../../calls/print-sql.ts'
import { briefName } from '../../format.ts'
import { FailureBox, Working } from '../../panes/failure.tsx'
import { LANES, type LaneName, type LaneView } from '../../play/lane-view.ts'
import { failureFrom } from '../../use-loaded.ts'
import { LivePanes } from '../play/live-panes.tsx'
import { usePlay } from '../play/use-play.ts'
import { Choice } from './layout-figure.tsx'
import type { FigureProps } from './live-figure.tsx'
import { PRESETS, type Preset } from './writer-presets.ts'

export function WritersFigure(props: FigureProps) {
  const [chosen, setChosen] = useState(PRESETS[0]!.key)
  const preset = PRESETS.find(({ key }) => key === chosen)!
  return (
    <div class="figure">
      <Choice
        title="Two writers"
        chosen={chosen}
        options={PRESETS.map(({ key, title }) => [key, title])}
        onChoose={setChosen}
      />
      <p class="says">{preset.says}</p>
      <Race key={chosen} {...props} preset={preset} />
    </div>
  )
}

function Race({ remote, place, go, onState, preset }: FigureProps & { preset: Preset }) {
  const play = usePlay(
    remote,
    `guide-writers-${preset.key}`,
    async () => preset.start,
    () => go({ version: null }),
  )
  const [lanes, setLanes] = useState<readonly LaneView[]>([])
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  if (play.begun !== null) return <FailureBox failure={play.begun} />
  if (play.state === undefined || play.opened === undefined) return <Working what="making the table of this chapter" />
  onState(play.state.calls)
  const during = async (work: () => Promise<readonly LaneView[]>) => {
    setBusy(true)
    try {
      setLanes(await work())
      play.adopt(await remote.look(play.id))
      setProblem('')
    } catch (error) {
      setProblem(failureFrom(error).message)
    }
    setBusy(false)
  }
  const types = new Map(play.state.columns.map(({ name, type }) => [name, type]))
  return (
    <>
      <div class="lanes">
        {LANES.map((name) => (
          <Lane
            key={name}
            name={name}
            call={preset.calls[name]}
            types={types}
            view={lanes.find(({ lane }) => lane === name)}
            busy={busy}
            onStart={() =>
              void during(() => remote.laneStart(play.id, name, preset.calls[name], preset.lostAnswer === name))
            }
            onStep={() => void during(() => remote.laneStep(play.id, name))}
          />
        ))}
      </div>
      <p class="run-line">
        <button
          type="button"
          disabled={busy}
          onClick={async () => {
            await during(() => remote.laneReset(play.id))
            await play.begin(preset.start)
          }}
        >
          Start over
        </button>
        <span class="quiet">{problem}</span>
      </p>
      {lanes.some(({ phase }) => phase === 'lost') && (
        <p class="banner">
          The rejection is the mechanism at work: nothing is corrupted and no half of a change was written. Running it
          again reads the new version and redoes the work on top. Catching the error and going on is how half of the
          work gets lost.
        </p>
      )}
      <LivePanes remote={remote} opened={play.opened} revision={play.revision} place={place} go={go} />
    </>
  )
}

const PHASES: Readonly<Record<LaneView['phase'], string>> = {
  idle: 'has not begun',
  read: 'has read the table',
  written: 'has written its files; no commit names them',
  committed: 'has committed',
  lost: 'was refused',
  failed: 'failed',
}

interface LaneProps {
  readonly name: LaneName
  readonly call: Call
  readonly types: ReadonlyMap<string, string>
  readonly view: LaneView | undefined
  readonly busy: boolean
  readonly onStart: () => void
  readonly onStep: () => void
}

function Lane({ name, call, types, view, busy, onStart, onStep }: LaneProps) {
  const phase = view?.phase ?? 'idle'
  const over = phase === 'committed' || phase === 'lost' || phase === 'failed'
  return (
    <section class={`pane lane ${phase}`} aria-label={`writer ${name}`}>
      <header class="pane-head">
        <h2>Writer {name}</h2>
        <span class="quiet" role="status">
          {PHASES[phase]}
          {phase === 'committed' && view?.version !== null && ` version ${view?.version}`}
        </span>
      </header>
      <pre>{printSql(call, types)}</pre>
      <div class="lane-steps">
        <button
          type="button"
          class={phase === 'idle' ? 'primary' : ''}
          disabled={busy || phase !== 'idle'}
          onClick={onStart}
        >
          Read
        </button>
        <button
          type="button"
          class={phase === 'read' ? 'primary' : ''}
          disabled={busy || phase !== 'read'}
          onClick={onStep}
        >
          Write files
        </button>
        <button
          type="button"
          class={phase === 'written' ? 'primary' : ''}
          disabled={busy || phase !== 'written'}
          onClick={onStep}
        >
          Commit
        </button>
        {over && phase !== 'committed' && (
          <button type="button" class="primary" disabled={busy} onClick={onStart}>
            Run it again
          </button>
        )}
      </div>
      {view !== undefined && phase !== 'idle' && <LaneFacts view={view} />}
      {view?.failure != null && <FailureBox failure={view.failure} />}
    </section>
  )
}

function LaneFacts({ view: { versionRead, written, adds, removes, trace } }: { view: LaneView }) {
  return (
    <>
      <dl class="facts">
        <div>
          <dt>read</dt>
          <dd>version {versionRead}</dd>
        </div>
        {(adds.length > 0 || removes.length > 0) && (
          <div>
            <dt>will commit</dt>
            <dd class="mono">
              {removes.map((file) => (
                <span key={`-${file}`} class="minus">
                  −{briefName(file)}{' '}
                </span>
              ))}
              {adds.map((file) => (
                <span key={`+${file}`} class="plus">
                  +{briefName(file)}{' '}
                </span>
              ))}
            </dd>
          </div>
        )}
        {written.length > 0 && (
          <div>
            <dt>files written</dt>
            <dd>{written.length}</dd>
          </div>
        )}
      </dl>
      <ol class="trace">
        {trace.map((line, i) => (
          <li key={i}>{line}</li>
        ))}
      </ol>
    </>
  )
}
