/** What a commit tells of itself, beside what the reference's told. */
import { readCommit } from '../../src/kernel/index.ts'
import type { ObjectStore } from '../../src/storage/index.ts'
import { isJsonObject, type JsonValue, printJson } from '../../src/support/index.ts'
import type { RecordedCommit } from '../conformance/recorded-tables.ts'

/** Operations whose parameters hold expressions as the reference numbers them. */
const NUMBERED: ReadonlySet<string> = new Set(['UPDATE', 'DELETE', 'MERGE', 'TRUNCATE', 'OPTIMIZE', 'REORG'])
/** Metrics that hang on how files are encoded, how change files are cut, or on the clock. */
const UNSTEADY =
  /bytes|size|timems|percentile|^(min|max|p25|p50|p75)filesize$|^numDeletionVectorsUpdated$|parallelism|tasks|^numAddedChangeFiles$/i

export interface ComparedCommit {
  readonly version: number
  readonly recorded: RecordedCommit | undefined
  /** says how a text of ours names the place the recording was made at */
  readonly place: (text: string) => string
}

/** @returns differences in operation, parameters, metrics and whether it counts as a blind append */
export async function compareCommit(
  store: ObjectStore,
  { version, recorded, place }: ComparedCommit,
): Promise<string[]> {
  if (recorded === undefined) return []
  const { actions } = await readCommit(store, version)
  const info = actions.map((action) => ('commitInfo' in action ? action.commitInfo : undefined)).find(Boolean) ?? {}
  const differences: string[] = []
  const compare = (what: string, ours: string, theirs: string) => {
    if (ours !== theirs) differences.push(`${what}: ${ours.slice(0, 300)} instead of ${theirs.slice(0, 300)}`)
  }
  compare('operation', String(info.operation), String(recorded.operation))
  compare('isBlindAppend', String(info.isBlindAppend ?? null), String(recorded.isBlindAppend ?? null))
  if (!NUMBERED.has(recorded.operation ?? '')) {
    compare(
      'parameters',
      place(parameters(info.operationParameters)),
      parameters(recorded.operationParameters as JsonValue),
    )
  }
  compare('metrics', metrics(info.operationMetrics), metrics(recorded.operationMetrics as JsonValue))
  return differences
}

function metrics(value: JsonValue | undefined): string {
  if (!isJsonObject(value)) return 'none'
  const steady = Object.entries(value).filter(([name]) => !UNSTEADY.test(name))
  const texts = steady.map(([name, number]) => `${name}=${String(number)}`).sort()
  return texts.length === 0 ? 'none' : texts.join(', ')
}

/** Texts with what they hold of JSON in the order of its keys, names that are drawn left out. */
function parameters(value: JsonValue | undefined): string {
  if (!isJsonObject(value)) return printJson(value)
  const pairs = Object.entries(value).map(([key, held]): [string, JsonValue] => [key, ordered(parsed(held))])
  return printJson(ordered(Object.fromEntries(pairs))).replaceAll(/(col)-[0-9a-f]{8}-[-0-9a-f]+/g, '$1')
}

function parsed(value: JsonValue | undefined): JsonValue {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value === null ? null : String(value)
  return JSON.parse(value) as JsonValue
}

function ordered(value: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) {
    const items = (value as readonly JsonValue[]).map(ordered)
    return items.every((item) => typeof item === 'string') ? items.sort() : items
  }
  if (!isJsonObject(value)) return value ?? null
  const pairs = Object.entries(value).map(([key, held]): [string, JsonValue] => [key, ordered(held)])
  return Object.fromEntries(pairs.sort(([a], [b]) => (a < b ? -1 : 1)))
}
