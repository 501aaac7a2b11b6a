/** Records and bytes a second over the last two minutes, from the counts the worker tells. */
import type { WorkerStatus } from '../../../../src/worker/server/status.ts'
import { formatBytes, formatCount } from '../../format.ts'

export interface Sample {
  readonly beganAtMs: number
  readonly atMs: number
  readonly records: number
  readonly bytes: number
}

const WIDTH = 600
const HEIGHT = 90
/** The rate that is told in words is one over so many samples. */
const RECENT = 10

export function sampleOf({ beganAtMs, nowMs, destinations }: WorkerStatus): Sample {
  const sum = (pick: (destination: WorkerStatus['destinations'][number]) => number) =>
    destinations.reduce((total, destination) => total + pick(destination), 0)
  return {
    beganAtMs,
    atMs: nowMs,
    records: sum(({ records }) => records),
    bytes: sum(({ recordBytes }) => recordBytes),
  }
}

/** Records a second between each sample and the one before. */
export function ratesOf(samples: readonly Sample[]): readonly number[] {
  return samples.slice(1).map((sample, i) => rate(samples[i]!, sample, 'records'))
}

function rate(from: Sample, to: Sample, what: 'records' | 'bytes'): number {
  const ms = to.atMs - from.atMs
  return ms <= 0 ? 0 : ((to[what] - from[what]) * 1000) / ms
}

export function Throughput({ samples }: { samples: readonly Sample[] }) {
  const rates = ratesOf(samples)
  const last = samples.at(-1)
  const first = samples.at(-1 - RECENT) ?? samples[0]
  const highest = Math.max(1, ...rates)
  const step = WIDTH / Math.max(1, rates.length - 1)
  const points = rates.map((value, i) => `${i * step},${HEIGHT - (value / highest) * (HEIGHT - 4)}`)
  return (
    <section class="pane throughput" aria-label="throughput">
      <header class="pane-head">
        <h2>Throughput</h2>
        <span>
          {first === undefined || last === undefined || first === last
            ? 'measuring'
            : `${formatCount(Math.round(rate(first, last, 'records')), 'record')} a second, ${formatBytes(Math.round(rate(first, last, 'bytes')))} a second`}
        </span>
      </header>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {points.length > 1 && <polyline points={points.join(' ')} />}
      </svg>
      <p class="quiet" hidden={rates.length === 0}>
        Records a second as they are committed; the highest was {Math.round(highest).toLocaleString('en')}.
      </p>
    </section>
  )
}
