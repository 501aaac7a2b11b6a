/** A running worker, live: where records come from and go to, how fast, what waits, what was refused. */
import { useEffect, useState } from 'preact/hooks'
import type { DestinationStatus, WorkerStatus } from '../../../../src/worker/server/status.ts'
import { formatBytes, formatCount, formatMoment } from '../../format.ts'
import type { Failure } from '../../messages.ts'
import { FailureBox, Working } from '../../panes/failure.tsx'
import { askServed } from '../../served.ts'
import { failureFrom } from '../../use-loaded.ts'
import { type Sample, sampleOf, Throughput } from './throughput.tsx'

const EVERY_MS = 1000
const KEPT_SAMPLES = 121

interface Seen {
  readonly status: WorkerStatus | undefined
  readonly samples: readonly Sample[]
  readonly failure: Failure | undefined
}

export function WorkerScreen() {
  const { status, samples, failure } = useLive()
  useEffect(() => {
    document.title = `${status?.name ?? 'worker'} · bayou`
  }, [status?.name])
  return (
    <main class="worker">
      {failure !== undefined && <FailureBox failure={failure} />}
      {status === undefined && failure === undefined && <Working what="asking the worker" />}
      {status !== undefined && (
        <>
          <div class="table-bar">
            <h1 class="table-name">{status.name}</h1>
            <span class="quiet">
              running since {formatMoment(status.beganAtMs)}
              {failure === undefined ? '' : '; what stands below is the last it told'}
            </span>
          </div>
          <Flow status={status} />
          <Throughput samples={samples} />
          <ul class="destinations">
            {status.destinations.map((destination) => (
              <li key={destination.id}>
                <Destination destination={destination} nowMs={status.nowMs} />
              </li>
            ))}
          </ul>
        </>
      )}
    </main>
  )
}

/** Asks again a second after each answer; a page that is not looked at does not ask. */
function useLive(): Seen {
  const [seen, setSeen] = useState<Seen>({ status: undefined, samples: [], failure: undefined })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let ended = false
    const ask = async () => {
      if (!document.hidden) {
        try {
          const status = await askServed<WorkerStatus>('api/worker')
          if (!ended) setSeen(({ samples }) => ({ status, samples: withSample(samples, status), failure: undefined }))
        } catch (error) {
          if (!ended) setSeen((before) => ({ ...before, failure: failureFrom(error) }))
        }
      }
      if (!ended) timer = setTimeout(() => void ask(), EVERY_MS)
    }
    void ask()
    return () => {
      ended = true
      clearTimeout(timer)
    }
  }, [])
  return seen
}

/** Counts of a worker that was started again begin anew. */
function withSample(samples: readonly Sample[], status: WorkerStatus): readonly Sample[] {
  const sample = sampleOf(status)
  const isSame = samples.at(-1)?.beganAtMs === sample.beganAtMs
  return isSame ? [...samples, sample].slice(-KEPT_SAMPLES) : [sample]
}

function Flow({ status: { sources, routes, destinations } }: { status: WorkerStatus }) {
  const typeOf = (id: string) => sources.find((source) => source.id === id)?.type ?? ''
  const targetOf = (id: string) => destinations.find((destination) => destination.id === id)?.target ?? ''
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label="routes">
      <table>
        <thead>
          <tr>
            <th scope="col">source</th>
            <th scope="col">route</th>
            <th scope="col">destination</th>
            <th scope="col">writes to</th>
          </tr>
        </thead>
        <tbody>
          {routes.map(({ id, source, destination }) => (
            <tr key={id}>
              <td>
                {source} <span class="tag">{typeOf(source)}</span>
              </td>
              <td>{id}</td>
              <td>{destination}</td>
              <td>{targetOf(destination)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Destination({ destination, nowMs }: { destination: DestinationStatus; nowMs: number }) {
  const { id, status, reason, heldBytes, bufferBytes } = destination
  return (
    <section class="pane destination" aria-label={`destination ${id}`}>
      <header class="pane-head">
        <h2>{id}</h2>
        <span class={`tag ${status}`}>{status}</span>
      </header>
      {reason !== null && (
        <p class="warning">Writing fails and is tried again: {reason}. Nothing that was taken is lost meanwhile.</p>
      )}
      <dl class="facts wide">
        {factsOf(destination, nowMs).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>buffer</dt>
          <dd class="buffer">
            {bufferBytes !== null && (
              <meter min={0} max={bufferBytes} value={heldBytes} aria-label={`buffer of ${id}`} />
            )}
            {formatBytes(heldBytes)} {bufferBytes === null ? '' : `of ${formatBytes(bufferBytes)} `}wait for their
            commit
          </dd>
        </div>
      </dl>
      <DeadLetters destination={destination} />
    </section>
  )
}

function factsOf(destination: DestinationStatus, nowMs: number): (readonly [string, string])[] {
  const { records, recordBytes, rows, files, fileBytes, commits, losses, filtered, retries, commitSeconds } =
    destination
  const tries = Object.entries(retries).map(([kind, times]) => `${times} for ${kind}`)
  return [
    ['last commit', lastCommitText(destination, nowMs)],
    ['records', `${records.toLocaleString('en')} taken, ${formatBytes(recordBytes)}`],
    ['rows', `${rows.toLocaleString('en')} written in ${formatCount(files, 'file')}, ${formatBytes(fileBytes)}`],
    [
      'commits',
      `${commits.toLocaleString('en')}; half of them within ${seconds(commitSeconds.p50)}, 99 of 100 within ${seconds(commitSeconds.p99)}`,
    ],
    ...(filtered > 0 ? [['left out by routes', formatCount(filtered, 'record')] as const] : []),
    ...(losses > 0 ? [['lost to other writers', formatCount(losses, 'version')] as const] : []),
    ...(tries.length > 0 ? [['tried again', tries.join(', ')] as const] : []),
  ]
}

function lastCommitText({ lastVersion, lastCommitAtMs }: DestinationStatus, nowMs: number): string {
  if (lastCommitAtMs === null) return 'none yet'
  const ago = formatCount(Math.max(0, Math.round((nowMs - lastCommitAtMs) / 1000)), 'second')
  return lastVersion === null ? `${ago} ago` : `version ${lastVersion}, ${ago} ago`
}

function seconds(value: number): string {
  return `${value < 10 ? value.toFixed(2) : Math.round(value)} s`
}

function DeadLetters({
  destination: { refused, refusedByReason, deadLetterFile },
}: {
  destination: DestinationStatus
}) {
  if (refused === 0) return <p class="quiet">No record was refused.</p>
  return (
    <>
      <h3>Dead letters</h3>
      <p>
        {formatCount(refused, 'record')} did not fit; each is kept with its reason in <code>{deadLetterFile}</code>
      </p>
      <ul class="tallies">
        {Object.entries(refusedByReason).map(([reason, times]) => (
          <li key={reason}>
            <strong>{times.toLocaleString('en')}</strong> {reason}
          </li>
        ))}
      </ul>
    </>
  )
}
