/** Small files joined, old files deleted, and how far back time travel reaches. */
import { useState } from 'preact/hooks'
import type { Call } from '../../calls/call.ts'
import { formatMoment } from '../../format.ts'
import { AboutPane } from '../../panes/about.tsx'
import { order } from '../../play/starter.ts'
import type { Play } from '../play/use-play.ts'
import { type FigureProps, LiveFigure } from './live-figure.tsx'
import { SECOND_CALL } from './starts.ts'

const SMALL: readonly Call[] = [1, 2, 3, 4].map((n) => ({
  op: 'append',
  rows: [order(String(1080 + n), 'Nowak', 'DE', '2024-04', `${n}5.00`, '2024-04-09 08:00:00')],
  mergeSchema: false,
}))

export function UpkeepFigure(props: FigureProps) {
  const [days, setDays] = useState(7)
  const start = {
    from: 'first',
    calls: [SECOND_CALL, ...SMALL, { op: 'delete', where: "order_id = '1042'" }],
  } as const
  return (
    <LiveFigure
      {...props}
      name="upkeep"
      start={start}
      buttons={[
        { title: 'OPTIMIZE', call: { op: 'optimize', where: '', zorderBy: [] } },
        { title: 'a day passes', call: { op: 'wait', hours: 24 } },
        { title: 'a week passes', call: { op: 'wait', hours: 168 } },
        { title: 'VACUUM, dry run', call: { op: 'vacuum', hours: days * 24, dryRun: true } },
        { title: 'VACUUM', call: { op: 'vacuum', hours: days * 24, dryRun: false } },
      ]}
    >
      {(play) => (
        <>
          <label class="slider retention">
            <span>retention</span>
            <input
              type="range"
              min={1}
              max={30}
              value={days}
              aria-valuetext={`${days} days`}
              onInput={(event) => setDays(Number(event.currentTarget.value))}
            />
            <output>{days === 1 ? '1 day' : `${days} days`}</output>
          </label>
          <Horizon play={play} days={days} />
        </>
      )}
    </LiveFigure>
  )
}

/** The oldest version that can be read whatever vacuum did, now and after one with this retention. */
function Horizon({ play: { opened, state }, days }: { play: Play; days: number }) {
  if (opened === undefined || state === undefined) return null
  const lost = new Set(opened.unreadable.map(({ version }) => version))
  const readable = opened.versions.map(({ version }) => version).filter((version) => !lost.has(version))
  const oldest = Math.min(...readable)
  const edge = state.nowMs - days * 24 * 3600 * 1000
  return (
    <p class="sum" role="status">
      Now {formatMoment(state.nowMs)}. Versions that can be read:{' '}
      {readable
        .toReversed()
        .map((version) => `v${version}`)
        .join(', ')}
      ; time travel reaches back to <strong>v{oldest}</strong>. A vacuum with this retention may delete what left the
      table before {formatMoment(edge)}.
    </p>
  )
}

const DROP_START = {
  from: 'first',
  rows: 'all',
  properties: { 'delta.enableDeletionVectors': 'true' },
  calls: [{ op: 'delete', where: "order_id = '1042'" }],
} as const

export function DropFeatureFigure(props: FigureProps) {
  return (
    <LiveFigure
      {...props}
      name="drop"
      start={DROP_START}
      buttons={[
        {
          title: 'DROP FEATURE deletionVectors',
          call: { op: 'dropFeature', feature: 'deletionVectors', truncateHistory: false },
        },
        {
          title: 'with TRUNCATE HISTORY',
          call: { op: 'dropFeature', feature: 'deletionVectors', truncateHistory: true },
        },
        { title: 'a day passes', call: { op: 'wait', hours: 25 } },
      ]}
    >
      {(play) =>
        play.opened !== undefined && (
          <div class="before-after">
            <div>
              <h3>Before, at v0</h3>
              <AboutPane
                remote={props.remote}
                id={play.id}
                version={play.opened.earliest}
                revision={play.revision}
                brief
              />
            </div>
            <div>
              <h3>Now, at v{play.opened.latest}</h3>
              <AboutPane
                remote={props.remote}
                id={play.id}
                version={play.opened.latest}
                revision={play.revision}
                brief
              />
            </div>
          </div>
        )
      }
    </LiveFigure>
  )
}
