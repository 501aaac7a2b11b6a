/** The figures of all destinations in the text form that Prometheus reads. */
import type { Meter } from './meter.ts'

interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  readonly help: string
  readonly value: (meter: Meter) => number | undefined | Labelled
}

/** Numbers by the value of one more label. */
interface Labelled {
  readonly label: string
  readonly values: Readonly<Record<string, number>>
}

const METRICS: readonly Metric[] = [
  counter('records_total', 'records taken', (m) => m.totals.records),
  counter('record_bytes_total', 'bytes of records taken', (m) => m.totals.recordBytes),
  counter('rows_total', 'rows written', (m) => m.totals.rows),
  counter('refused_total', 'records refused and kept in the dead-letter file', (m) => m.totals.refused),
  counter('refused_by_reason_total', 'records refused, by the kind of their reason', (m) => ({
    label: 'reason',
    values: m.totals.refusedByReason,
  })),
  counter('filtered_total', 'records a route left out', (m) => m.totals.filtered),
  counter(
    'ignored_fields_total',
    'fields of records that no column is for, passed over',
    (m) => m.totals.ignoredFields,
  ),
  gauge('held_bytes', 'bytes of records that wait for their commit', (m) => m.heldBytes()),
  counter('files_total', 'data files written', (m) => m.totals.files),
  counter('file_bytes_total', 'bytes of data files written', (m) => m.totals.fileBytes),
  counter('commits_total', 'versions committed', (m) => m.totals.commits),
  counter('commit_losses_total', 'versions lost to other writers', (m) => m.totals.losses),
  counter('retries_total', 'failed calls and rounds that were tried again, by status', (m) => ({
    label: 'status',
    values: m.totals.retries,
  })),
  counter('unknown_outcomes_total', 'commits whose outcome stayed unknown', (m) => m.totals.unknownOutcomes),
  counter(
    'unknown_outcomes_landed_total',
    'those of them found in the log later',
    (m) => m.totals.unknownOutcomesLanded,
  ),
  gauge('last_version', 'the last version committed', (m) => m.totals.lastVersion),
  gauge('commit_seconds_p50', 'median time of a round', (m) => m.quantile(0.5)),
  gauge('commit_seconds_p99', '99th percentile of the time of a round', (m) => m.quantile(0.99)),
  gauge('seconds_since_commit', 'seconds since the last commit', (m) => {
    const at = m.totals.lastCommitAt
    return at === undefined ? undefined : (Date.now() - at) / 1000
  }),
  gauge('credentials_expire_seconds', 'seconds until the credentials at hand expire', (m) => {
    const at = m.credentialsExpireAtMs()
    return at === undefined ? undefined : (at - Date.now()) / 1000
  }),
  gauge('stalled', '1 while writing fails', (m) => (m.isStalled ? 1 : 0)),
  counter('checkpoints_total', 'checkpoints written', (m) => m.totals.checkpoints),
  counter('upkeep_failures_total', 'checkpoints and cleanups that failed', (m) => m.totals.upkeepFailures),
]

export function metricsText(meters: readonly Meter[]): string {
  return METRICS.map((metric) => printMetric(metric, meters)).join('')
}

function printMetric({ name, type, help, value }: Metric, meters: readonly Meter[]): string {
  const lines = meters.flatMap((meter) => {
    const destination = `destination=${label(meter.id)}`
    const found = value(meter)
    if (found === undefined) return []
    if (typeof found === 'number') return [`${name}{${destination}} ${found}\n`]
    return Object.entries(found.values).map(
      ([key, number]) => `${name}{${destination},${found.label}=${label(key)}} ${number}\n`,
    )
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function label(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}

function counter(name: string, help: string, value: Metric['value']): Metric {
  return { name: `bayou_worker_${name}`, type: 'counter', help, value }
}
function gauge(name: string, help: string, value: Metric['value']): Metric {
  return { name: `bayou_worker_${name}`, type: 'gauge', help, value }
}
