/**
 * A table in memory that calls change: the kernel, the engine and the statements of the package over a store of the page.
 *
 * Each call is a minute later than the one before by the table's own clock, so that a link that replays the calls gives
 * the same times.
 */
import type { Call } from '../calls/call.ts'
import {
  type Backend,
  DeltaTable,
  type DeltaTables,
  deltaTables,
  type Engine,
  formatType,
  HOUR_MS,
  localBackend,
  MINUTE_MS,
  type ObjectStore,
  type SqlResult,
  SqlSession,
} from '../library.ts'
import type { ActionView, ColumnHead, OpenedTable, Performed, PlayStart, PlayState, RowPage } from '../messages.ts'
import { cellOf, headsOf } from '../reading/scan-rows.ts'
import { TableReader } from '../reading/table-reader.ts'
import { carryOut, type Hands, rowObjects } from './carry-out.ts'
import { type KeptObject, type KeptStore, keptStore, PlayClock } from './kept-store.ts'
import { BEGIN_MS, FIRST_ROWS, LOCATION, SCHEMA, SECOND_ROWS, STARTER_CALLS, TODAY } from './starter.ts'

const MAX_UNDO = 200
const MAX_ANSWER_ROWS = 200

interface Moment {
  readonly objects: readonly KeptObject[]
  readonly nowMs: number
  readonly calls: readonly Call[]
}

/** What the browser keeps of a playground. */
export interface KeptTable extends Moment {
  readonly start: PlayStart | null
}

export class PlayTable {
  readonly id: string
  readonly clock = new PlayClock(BEGIN_MS)
  readonly store: KeptStore = keptStore(LOCATION, this.clock)
  readonly engine: Engine
  reader: TableReader
  private readonly today: KeptStore = keptStore(TODAY, this.clock)
  private start: PlayStart | null = { from: 'starter' }
  private calls: readonly Call[] = []
  private past: Moment[] = []
  private types: ReadonlyMap<string, string> = new Map()
  private hands: Promise<Hands> | undefined
  /** what a writer is filling, for the drawing */
  readonly filling = new Set<string>()

  constructor(id: string, engine: Engine) {
    this.id = id
    this.engine = engine
    this.reader = this.newReader()
  }

  get nowMs(): number {
    return this.clock.now()
  }

  /** Columns of the table as it is now. */
  get columns(): readonly string[] {
    return [...this.types.keys()]
  }

  private get heads(): ColumnHead[] {
    return [...this.types].map(([name, type]) => ({ name, type }))
  }

  async begin(start: PlayStart): Promise<PlayState> {
    await this.store.restore([])
    await this.today.restore([])
    this.clock.set(BEGIN_MS)
    this.past = []
    this.calls = []
    this.start = start
    this.forget()
    await this.create(start)
    const calls = start.from === 'starter' ? STARTER_CALLS.slice(0, start.until) : []
    for (const call of calls) {
      this.clock.advance(24 * HOUR_MS)
      await carryOut(call, await this.opened())
      await this.learn()
    }
    if (start.from === 'starter') this.clock.advance(24 * HOUR_MS)
    for (const call of start.calls ?? []) await this.run(call)
    return await this.state()
  }

  async state(): Promise<PlayState> {
    const { start, calls } = this
    await this.learn()
    return {
      opened: await this.reopen(),
      canUndo: this.past.length > 0,
      nowMs: this.nowMs,
      calls: start === null ? null : { start, calls },
      columns: this.heads,
    }
  }

  /** A call that is refused leaves the table as it was. */
  async perform(call: Call): Promise<Performed> {
    const before = { objects: this.store.objects(), nowMs: this.nowMs, calls: this.calls }
    const versionBefore = await this.version()
    const { notes, answer } = await this.run(call)
    this.past = [...this.past, before].slice(-MAX_UNDO)
    this.calls = [...this.calls, call]
    const rows = answer === undefined ? null : await answerPage(answer)
    const opened = await this.reopen()
    const made = opened.latest > versionBefore
    return {
      opened,
      version: made ? opened.latest : null,
      notes,
      actions: made ? await this.actionsFrom(versionBefore + 1, opened.latest) : [],
      answer: rows,
      columns: this.heads,
      canUndo: true,
      nowMs: this.nowMs,
    }
  }

  async undo(): Promise<PlayState> {
    const last = this.past.pop()
    if (last !== undefined) await this.goTo(last)
    return await this.state()
  }

  /** What is to be kept. */
  kept(): KeptTable {
    return { objects: this.store.objects(), nowMs: this.nowMs, calls: this.calls, start: this.start }
  }

  /** A table from elsewhere takes the place of this one. */
  async load({ start, ...moment }: KeptTable): Promise<PlayState> {
    this.past = []
    this.start = start
    await this.goTo(moment)
    return await this.state()
  }

  /** The means to change the table through another store over the same objects. */
  handsOver(store: ObjectStore): Hands {
    return handsOf(this, store, this.today, this.types)
  }

  async opened(): Promise<Hands> {
    this.hands ??= Promise.resolve(this.handsOver(this.store))
    return { ...(await this.hands), types: this.types }
  }

  /** Takes note of commits made by others. */
  async noticed(): Promise<OpenedTable> {
    this.past = [...this.past].slice(-MAX_UNDO)
    this.start = null
    await this.learn()
    return await this.reopen()
  }

  private async run(call: Call) {
    this.clock.advance(call.op === 'wait' ? call.hours * HOUR_MS : MINUTE_MS)
    const result = await carryOut(call, await this.opened())
    await this.learn()
    return result
  }

  private async goTo({ objects, nowMs, calls }: Moment): Promise<void> {
    this.clock.set(nowMs)
    await this.store.restore(objects)
    this.calls = calls
    this.forget()
    await this.learn()
  }

  private async create({ from, partitionBy = [], properties = {}, rows }: PlayStart): Promise<void> {
    const { tables } = await this.opened()
    const first = rowObjects(rows === 'all' ? [...FIRST_ROWS, ...SECOND_ROWS] : FIRST_ROWS)
    if (from === 'empty') {
      await tables
        .create()
        .location(LOCATION)
        .addColumns(SCHEMA)
        .partitionedBy(...partitionBy)
        .properties(properties)
        .execute()
    } else {
      const options = {
        schema: SCHEMA,
        partitionBy,
        properties,
        ...(partitionBy.length === 0 && { maxRecordsPerFile: 4 }),
      }
      await tables.write(LOCATION, first, options)
    }
    await this.learn()
  }

  private async learn(): Promise<void> {
    const { tables } = await this.opened()
    if (!(await tables.isDeltaTable(LOCATION))) return
    const { fields } = await (await this.opened()).table.schema()
    this.types = new Map(fields.map(({ name, type }) => [name, formatType(type)]))
  }

  private forget(): void {
    this.hands = undefined
    this.reader = this.newReader()
  }

  private newReader(): TableReader {
    return new TableReader(this.store, this.engine, { id: this.id, name: 'orders', location: LOCATION, writable: true })
  }

  private async reopen(): Promise<OpenedTable> {
    this.reader = this.newReader()
    return await this.reader.open()
  }

  private async version(): Promise<number> {
    return await (await this.opened()).table.version()
  }

  private async actionsFrom(first: number, last: number): Promise<ActionView[]> {
    const views: ActionView[] = []
    for (let version = first; version <= last; version++) views.push(...(await this.reader.commit(version)).actions)
    return views
  }
}

function handsOf(play: PlayTable, store: ObjectStore, today: ObjectStore, types: ReadonlyMap<string, string>): Hands {
  const openStore = async (location: string) => (location === TODAY ? today : store)
  const backend: Backend = localBackend({ openStore, engine: play.engine, clock: play.clock, userName: 'you' })
  const tables: DeltaTables = deltaTables(() => backend)
  const names = new Map([
    ['orders', LOCATION],
    ['today', TODAY],
  ])
  const session = new SqlSession({ engine: play.engine, backend, openStore, tables: names, clock: play.clock })
  const table = new DeltaTable(backend, { location: LOCATION })
  return { table, tables, session, types }
}

async function answerPage({ schema, batches }: SqlResult): Promise<RowPage> {
  const rows: (string | null)[][] = []
  for await (const batch of batches) {
    for (let row = 0; row < batch.numRows && rows.length <= MAX_ANSWER_ROWS; row++) {
      rows.push(schema.fields.map(({ type }, i) => cellOf(batch.column(i)[row] ?? null, type)))
    }
  }
  const more = rows.length > MAX_ANSWER_ROWS
  return {
    columns: headsOf(schema),
    rows: rows.slice(0, MAX_ANSWER_ROWS),
    more,
    total: more ? null : rows.length,
    fates: null,
    changed: null,
    gone: [],
  }
}
