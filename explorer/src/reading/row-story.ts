/**
 * What became of a row, commit by commit: in which it appeared, changed, moved to another file, disappeared.
 *
 * Only commits whose files may hold the row are read for it; the rest is passed over by the rules of the predicate.
 */
import { type AddFile, fileKey, fileKeyText, fileMayMatch, type SkippingRule, skippingRule } from '../library.ts'
import type { Cell, RowStory, StoryEvent } from '../messages.ts'
import { fileChanges, type TableContext } from './context.ts'
import { pairRows } from './pair-rows.ts'
import { headsOf, predicateOf, scanFiles } from './scan-rows.ts'
import { versionLine } from './version-lines.ts'

const MAX_EVENTS = 500
const MAX_ROWS = 1000

type Rows = readonly (readonly Cell[])[]

export async function rowStory(context: TableContext, where: string): Promise<RowStory> {
  const holding = new Map<string, AddFile>()
  const events: StoryEvent[] = []
  let rows: Rows = []
  let versionsRead = 0
  let columns = headsOf((await context.snapshot(context.latest)).schema)
  for (let version = context.earliest; version <= context.latest && events.length < MAX_EVENTS; version++) {
    const isFirst = version === context.earliest
    if (!isFirst && !(await mayTouch(context, version, where, holding))) continue
    versionsRead++
    const snapshot = await context.snapshot(version)
    const rule = ruleAt(where, snapshot)
    if (isFirst) {
      for await (const page of snapshot.files.select(rule)) for (const file of page) hold(holding, file, rule)
    }
    const filter = predicateOf(where, snapshot)
    const now = await readRows(context, version, [...holding.values()], filter)
    columns = headsOf(snapshot.schema)
    const found = await eventsOf(
      context,
      version,
      rows,
      now,
      columns.map(({ name }) => name),
    )
    events.push(...found)
    rows = now
  }
  return { where, columns, events, alive: rows.length > 0, versionsRead }
}

async function readRows(
  context: TableContext,
  version: number,
  files: readonly AddFile[],
  filter: ReturnType<typeof predicateOf>,
): Promise<Rows> {
  const snapshot = await context.snapshot(version)
  const rows = await scanFiles(context, snapshot, files, { filter, limit: MAX_ROWS })
  return rows.map(({ cells }) => cells)
}

function ruleAt(where: string, snapshot: Awaited<ReturnType<TableContext['snapshot']>>): SkippingRule | undefined {
  const predicate = predicateOf(where, snapshot)
  return predicate && skippingRule(predicate, snapshot.layout)
}

function hold(holding: Map<string, AddFile>, file: AddFile, rule: SkippingRule | undefined): boolean {
  if (rule !== undefined && !fileMayMatch(rule, file)) return false
  holding.set(fileKeyText(fileKey(file)), file)
  return true
}

/** Takes a commit into the files that may hold the row; whether it touched any. */
async function mayTouch(
  context: TableContext,
  version: number,
  where: string,
  holding: Map<string, AddFile>,
): Promise<boolean> {
  const { adds, removes } = fileChanges(await context.commit(version))
  let touched = false
  for (const remove of removes) touched = holding.delete(fileKeyText(fileKey(remove))) || touched
  if (adds.length === 0) return touched
  const rule = ruleAt(where, await context.snapshot(version))
  for (const add of adds) touched = hold(holding, add, rule) || touched
  return touched
}

async function eventsOf(
  context: TableContext,
  version: number,
  before: Rows,
  after: Rows,
  names: readonly string[],
): Promise<StoryEvent[]> {
  const line = versionLine(await context.commit(version), context, [])
  const { timestampMs, operation, userName } = line
  const head = { version, timestampMs, operation, userName, changed: [] as readonly number[] }
  const { gone, fresh, changed } = pairRows(before, after, names)
  const events: StoryEvent[] = [
    ...fresh.map((i): StoryEvent => ({ ...head, what: 'appeared', before: null, after: after[i]! })),
    ...changed.map((pair): StoryEvent => {
      return {
        ...head,
        what: 'changed',
        before: before[pair.before]!,
        after: after[pair.after]!,
        changed: pair.columns,
      }
    }),
    ...gone.map((i): StoryEvent => ({ ...head, what: 'disappeared', before: before[i]!, after: null })),
  ]
  if (events.length > 0 || after.length === 0) return events
  return [{ ...head, what: 'moved', before: null, after: null }]
}
