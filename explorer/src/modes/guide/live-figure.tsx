/** A figure that is a table: some calls as buttons, and the panes that show what they do. */
import type { ComponentChildren } from 'preact'
import type { Call } from '../../calls/call.ts'
import { printSql } from '../../calls/print-sql.ts'
import { printTypeScript } from '../../calls/print-typescript.ts'
import type { Place } from '../../location.ts'
import type { PlayStart } from '../../messages.ts'
import { FailureBox, Working } from '../../panes/failure.tsx'
import type { Remote } from '../../remote.ts'
import { LivePanes } from '../play/live-panes.tsx'
import { type Play, usePlay } from '../play/use-play.ts'

export interface FigureProps {
  readonly remote: Remote
  readonly place: Place
  readonly go: (change: Partial<Place>) => void
  /** told of the state that "take it to the playground" carries over */
  readonly onState: (shared: { readonly start: PlayStart; readonly calls: readonly Call[] } | null) => void
}

export interface FigureButton {
  readonly title: string
  readonly call: Call
}

interface Props extends FigureProps {
  readonly name: string
  readonly start: PlayStart
  readonly buttons: readonly FigureButton[]
  /** stands between the buttons and the panes */
  readonly children?: (play: Play) => ComponentChildren
  readonly panes?: boolean
  readonly skipped?: ReadonlyMap<string, string>
}

export function LiveFigure({
  remote,
  place,
  go,
  onState,
  name,
  start,
  buttons,
  children,
  panes = true,
  skipped,
}: Props) {
  const play = usePlay(
    remote,
    `guide-${name}`,
    async () => start,
    () => go({ version: null, file: '' }),
  )
  const { state, opened } = play
  if (play.begun !== null) return <FailureBox failure={play.begun} />
  if (state === undefined || opened === undefined) return <Working what="making the table of this chapter" />
  onState(state.calls)
  return (
    <div class="figure">
      <div class="figure-buttons" role="toolbar" aria-label="calls of this chapter">
        {buttons.map(({ title, call }) => (
          <button key={title} type="button" class="primary" disabled={play.busy} onClick={() => void play.run(call)}>
            {title}
          </button>
        ))}
        <button type="button" disabled={play.busy || !state.canUndo} onClick={() => void play.undo()}>
          Undo
        </button>
        <button type="button" disabled={play.busy} onClick={() => void play.begin(start)}>
          Start over
        </button>
      </div>
      <FigureOutcome play={play} />
      {children?.(play)}
      {panes && (
        <LivePanes
          remote={remote}
          opened={opened}
          revision={play.revision}
          place={place}
          go={go}
          {...(skipped === undefined ? {} : { skipped })}
        />
      )}
    </div>
  )
}

function FigureOutcome({ play }: { play: Play }) {
  const { failure, performed, state } = play
  const last = state?.calls?.calls.at(-1)
  if (failure !== null) {
    return (
      <div class="figure-outcome">
        <p class="refused-line">Refused: nothing changed.</p>
        <FailureBox failure={failure} />
      </div>
    )
  }
  if (performed === null) return null
  const types = new Map(state?.columns.map(({ name, type }) => [name, type]))
  return (
    <div class="figure-outcome" role="status">
      <p class="done-line">
        {performed.version === null ? 'No commit' : `Version ${performed.version}`}
        {performed.notes.length > 0 && `: ${performed.notes.join('; ')}`}
      </p>
      {performed.answer !== null && (
        <p class="quiet">
          {performed.answer.rows
            .map((row) => row.join(' '))
            .slice(0, 8)
            .join(' · ')}
        </p>
      )}
      {last !== undefined && last.op !== 'wait' && <TwoForms call={last} types={types} />}
    </div>
  )
}

/** A call in its two forms, to read. */
export function TwoForms({ call, types }: { call: Call; types: ReadonlyMap<string, string> }) {
  return (
    <div class="two-forms">
      <div>
        <span class="spelling-title">TypeScript</span>
        <pre>{printTypeScript(call)}</pre>
      </div>
      <div>
        <span class="spelling-title">SQL</span>
        <pre>{printSql(call, types)}</pre>
      </div>
    </div>
  )
}
