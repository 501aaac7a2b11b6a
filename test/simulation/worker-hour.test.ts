/**
 * An hour of a worker's life on a clock of its own, under a seed: a store that fails before and after effects, minutes of
 * 403 and 503, other writers, kills and starts. At the end every record is in the table once.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { jsEngine } from '../../src/engine/js/index.ts'
import { beginTransaction, commitKey, loadSnapshot, planScan } from '../../src/kernel/index.ts'
import { memoryStore, type ObjectStore } from '../../src/storage/index.ts'
import { parseWorkerConfig, runWorker, type WorkerEvent } from '../../src/worker/index.ts'
import { chaotic, type Life, randomOf, type Weather } from './chaotic-store.ts'

const SEEDS = Number(process.env.BAYOU_SEEDS ?? 1)
const FIRST_SEED = Number(process.env.BAYOU_FIRST_SEED ?? 1)
const HOUR_MS = 3_600_000
const RECORDS_PER_SEC = 2
const RECORDS = (HOUR_MS / 1000) * RECORDS_PER_SEC
const BAD_EVERY = 997
const BUFFER_BYTES = 1_048_576

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bayou-hour-'))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

class Hour {
  readonly store: ObjectStore = memoryStore()
  readonly weather: Weather
  /** of the life under way: a process that was killed writes no more, and here it may run on */
  deadLetterFile = ''
  readonly events: WorkerEvent[] = []
  life: Life = { isDead: false }
  kills = 0
  starts = 0
  isOver = false
  private readonly seed: number
  private readonly random: () => number
  /** what the file of the life before held when that life ended */
  private letters: Buffer | undefined

  constructor(seed: number) {
    this.seed = seed
    this.random = randomOf(seed)
    this.weather = { random: this.random, calmAtMs: Date.now() + HOUR_MS, storm: undefined, counts: new Map() }
  }

  /** Starts the worker again whenever it was killed or gave up, until it has drained its source. */
  async supervise(): Promise<void> {
    for (;;) {
      this.starts++
      const life: Life = { isDead: false }
      this.life = life
      this.deadLetterFile = join(folder, `${this.seed}-${this.starts}.ndjson`)
      if (this.letters !== undefined) writeFileSync(this.deadLetterFile, this.letters)
      const killed = new Promise<'killed'>((resolve) => {
        life.onDeath = () => resolve('killed')
      })
      const ended = await Promise.race([this.run(life), killed])
      if (ended === 'drained') break
      if (ended === 'gave up') this.keepLetters()
      await new Promise((resolve) => setTimeout(resolve, 5000))
    }
    this.isOver = true
  }

  private keepLetters(): void {
    if (existsSync(this.deadLetterFile)) this.letters = readFileSync(this.deadLetterFile)
  }

  private async run(life: Life): Promise<'drained' | 'gave up'> {
    const config = parseWorkerConfig({
      name: 'w',
      sources: [
        {
          id: 'made',
          type: 'generator',
          schema: 'id BIGINT, name STRING',
          count: RECORDS,
          batchRecords: 40,
          recordsPerSec: RECORDS_PER_SEC,
          badEvery: BAD_EVERY,
        },
      ],
      routes: [{ source: 'made', destination: 'lake' }],
      destinations: [
        {
          id: 'lake',
          type: 'delta',
          location: '/simulated',
          fileIntervalSecs: 60,
          bufferBytes: BUFFER_BYTES,
          stallAfterSecs: 60,
          compression: 'none',
          deadLetterFile: this.deadLetterFile,
        },
      ],
    })
    try {
      await runWorker(config, {
        engine: jsEngine(),
        wrapStore: () => chaotic(this.store, this.weather, life),
        onEvent: (event) => {
          if (!life.isDead) this.events.push(event)
        },
      })
      return life.isDead ? await new Promise<never>(() => undefined) : 'drained'
    } catch {
      return 'gave up'
    }
  }

  /** What others do meanwhile. */
  async trouble(): Promise<void> {
    const { random, weather } = this
    while (!this.isOver) {
      await new Promise((resolve) => setTimeout(resolve, 20_000 + random() * 200_000))
      if (Date.now() >= weather.calmAtMs) return
      const luck = random()
      if (luck < 0.25) {
        this.life.isDead = true
        this.keepLetters()
        this.life.onDeath?.()
        this.kills++
      } else if (luck < 0.5) {
        const kind = luck < 0.35 ? 'denied' : 'unavailable'
        weather.storm = { untilMs: Date.now() + random() * 400_000, kind }
      } else {
        await this.commitByAnother(1 + Math.floor(random() * 5))
      }
    }
  }

  /** Another writer's commits, some of which add a column. */
  private async commitByAnother(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const snapshot = await loadSnapshot(this.store, jsEngine()).catch(() => undefined)
      if (snapshot === undefined) return
      const properties = new Map(snapshot.metadata.configuration).set('note', String(Date.now()))
      const transaction = beginTransaction(snapshot, { operation: 'WRITE' })
      const isMetadata = this.random() < 0.3
      await (isMetadata
        ? transaction.setMetadata({ ...snapshot.metadata, configuration: properties })
        : transaction
      ).commit()
    }
  }

  /** Time goes on as fast as there is nothing to do; real work of the file system is given its turn. */
  async pass(): Promise<void> {
    let steps = 0
    while (!this.isOver) {
      await vi.advanceTimersToNextTimerAsync()
      await new Promise((resolve) => setImmediate(resolve))
      if (++steps > 500_000) throw new Error('the hour does not come to its end')
    }
  }
}

async function idsIn(store: ObjectStore): Promise<bigint[]> {
  const engine = jsEngine()
  const snapshot = await loadSnapshot(store, engine)
  const files = await planScan(snapshot)
  const ids: bigint[] = []
  for await (const batch of engine.scan({ store, layout: snapshot.layout, files, columns: [0] })) {
    const column = batch.column(0)
    for (let row = 0; row < batch.numRows; row++) ids.push(column[row] as bigint)
  }
  return ids
}

test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
  'seed %i',
  async (seed) => {
    const hour = new Hour(seed)
    const supervised = hour.supervise()
    const troubled = hour.trouble()
    await hour.pass()
    await supervised
    vi.useRealTimers()
    await Promise.race([troubled, new Promise((resolve) => setTimeout(resolve, 10))])

    const ids = await idsIn(hour.store)
    const snapshot = await loadSnapshot(hour.store, jsEngine())
    const { counts } = hour.weather
    console.log(
      `seed ${seed}: ${hour.starts} starts, ${hour.kills} kills, ${snapshot.version} versions, faults ${JSON.stringify([...counts])}`,
    )
    const bad = Math.floor(RECORDS / BAD_EVERY)
    expect([ids.length, new Set(ids).size]).toEqual([RECORDS - bad, RECORDS - bad])
    expect(snapshot.transactions.get('w/lake/made/0')?.version).toBe(BigInt(RECORDS))
    // what was told as committed is in the log, and each version was told once at most
    const told = hour.events.flatMap((event) => (event.kind === 'commit' ? [event.version] : []))
    expect(new Set(told).size).toBe(told.length)
    for (const version of told.slice(-20)) await expect(hour.store.head(commitKey(version))).resolves.toBeDefined()
    const held = hour.events.flatMap((event) => (event.kind === 'progress' ? [event.heldBytes] : []))
    expect(Math.max(...held)).toBeLessThanOrEqual(BUFFER_BYTES + 40 * 64)
    const letters = readFileSync(hour.deadLetterFile, 'utf8').trimEnd().split('\n')
    expect(letters.map((line) => JSON.parse(line).position)).toEqual(
      Array.from({ length: bad }, (_, i) => String((i + 1) * BAD_EVERY - 1)),
    )
  },
  600_000,
)
