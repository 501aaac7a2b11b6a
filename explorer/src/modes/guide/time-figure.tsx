/** Older versions by number and by time, and what is different between two of them. */
import { useState } from 'preact/hooks'
import { formatMoment } from '../../format.ts'
import type { Failure } from '../../messages.ts'
import { DifferencePane } from '../../panes/difference.tsx'
import { FailureBox } from '../../panes/failure.tsx'
import { failureFrom } from '../../use-loaded.ts'
import type { Play } from '../play/use-play.ts'
import { type FigureProps, LiveFigure } from './live-figure.tsx'

export function TimeFigure(props: FigureProps) {
  return (
    <LiveFigure {...props} name="time" start={{ from: 'starter' }} buttons={[]}>
      {(play) => <ByTime {...props} play={play} />}
    </LiveFigure>
  )
}

function ByTime({ remote, place, go, play }: FigureProps & { play: Play }) {
  const [text, setText] = useState('2024-04-03 12:00:00')
  const [failure, setFailure] = useState<Failure | null>(null)
  const [compare, setCompare] = useState(place.against !== null)
  const opened = play.opened!
  const version = place.version ?? opened.latest
  const find = async () => {
    try {
      const ms = Date.parse(`${text.trim().replace(' ', 'T').replace(/Z$/, '')}Z`)
      if (Number.isNaN(ms)) throw new Error(`${text} is no time; write one such as 2024-04-03 12:00:00`)
      go({ version: await remote.versionAt(play.id, ms) })
      setFailure(null)
    } catch (error) {
      setFailure(failureFrom(error))
    }
  }
  return (
    <>
      <form
        class="where"
        onSubmit={(event) => {
          event.preventDefault()
          void find()
        }}
      >
        <label>
          <span class="quiet">as of (UTC)</span>
          <input type="text" name="time" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button type="submit">Go to that time</button>
        <label class="inline">
          <input
            type="checkbox"
            checked={compare}
            onChange={(event) => {
              setCompare(event.currentTarget.checked)
              go({ against: event.currentTarget.checked ? opened.latest : null })
            }}
          />
          <span>compare with another version</span>
        </label>
      </form>
      <pre class="call-line">
        await orders.rows({'{'} version: {version} {'}'}){'\n'}SELECT * FROM orders VERSION AS OF {version}
      </pre>
      <p class="quiet">
        The table’s clock says {formatMoment(play.state?.nowMs ?? null)}; version {version} was committed{' '}
        {formatMoment(opened.versions.find((line) => line.version === version)?.timestampMs ?? null)}.
      </p>
      {failure !== null && <FailureBox failure={failure} />}
      {compare && (
        <DifferencePane
          remote={remote}
          id={play.id}
          revision={play.revision}
          earliest={opened.earliest}
          latest={opened.latest}
          version={version}
          against={place.against ?? opened.latest}
          onAgainst={(against) => go({ against })}
        />
      )}
    </>
  )
}
