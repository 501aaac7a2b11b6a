/**
 * Two writers that go step by step: each runs the real operation over a store that stops it before its first data file
 * and before its commit, until the page lets it go on.
 */
import type { Call } from '../calls/call.ts'
import { failureOf } from '../failure-of.ts'
import { DeltaError, decodeUtf8, faulty, type ObjectStore } from '../library.ts'
import type { Failure } from '../messages.ts'
import { actionViews } from '../reading/commit-view.ts'
import { shortName } from '../reading/context.ts'
import { carryOut } from './carry-out.ts'
import { LANES, type LaneName, type LaneView } from './lane-view.ts'
import type { PlayTable } from './play-table.ts'

const IDLE: Omit<LaneView, 'lane'> = {
  call: null,
  phase: 'idle',
  versionRead: null,
  written: [],
  adds: [],
  removes: [],
  trace: [],
  version: null,
  failure: null,
}

class Lane {
  view: LaneView
  private readonly play: PlayTable
  private letGo: (() => void) | undefined
  private arrived: (() => void) | undefined
  private hasWritten = false
  private hasSent = false

  constructor(lane: LaneName, play: PlayTable) {
    this.view = { lane, ...IDLE }
    this.play = play
  }

  /** Reads the table and stops before anything is written. */
  async start(call: Call, lostAnswer: boolean): Promise<void> {
    this.hasWritten = false
    this.hasSent = false
    const versionRead = await (await this.play.opened()).table.version()
    this.view = {
      ...IDLE,
      lane: this.view.lane,
      call,
      versionRead,
      phase: 'read',
      trace: [`read version ${versionRead}`],
    }
    const stop = this.stop()
    void this.run(call, lostAnswer)
    await stop
  }

  /** Goes on to the next stop, or to the end. */
  async step(): Promise<void> {
    if (this.letGo === undefined) return
    const stop = this.stop()
    this.letGo()
    this.letGo = undefined
    await stop
  }

  private stop(): Promise<void> {
    return new Promise((resolve) => {
      this.arrived = resolve
    })
  }

  private async run(call: Call, lostAnswer: boolean): Promise<void> {
    const base = lostAnswer
      ? faulty(this.play.store, { failCall: 1, when: 'after-effect', methods: ['putIfAbsent'], keys: /\d{20}\.json$/ })
      : this.play.store
    try {
      const hands = this.play.handsOver(this.steppedStore(base))
      await carryOut(call, hands)
      const version = this.sentAs ?? null
      this.tell({ phase: 'committed', version }, version === null ? 'nothing to commit' : `version ${version} is ours`)
    } catch (error) {
      const failure: Failure = failureOf(error)
      const lost = error instanceof DeltaError && error.code.startsWith('DELTA_')
      this.tell({ phase: lost ? 'lost' : 'failed', failure }, `refused: ${failure.code}`)
    }
    this.arrived?.()
  }

  private sentAs: number | undefined

  /** The store as the lane's operation sees it. */
  private steppedStore(store: ObjectStore): ObjectStore {
    return {
      ...store,
      put: async (key, bytes, options) => {
        if (!key.startsWith('_delta_log/') && !this.hasWritten) {
          this.hasWritten = true
          await this.pause()
        }
        await store.put(key, bytes, options)
        if (!key.startsWith('_delta_log/')) this.tell({ written: [...this.view.written, shortName(key)] })
      },
      putIfAbsent: async (key, bytes, options) => {
        const match = /^_delta_log\/(\d{20})\.json$/.exec(key)
        if (match === null) return await store.putIfAbsent(key, bytes, options)
        if (!this.hasSent) {
          this.hasSent = true
          this.plan(decodeUtf8(bytes))
          await this.pause()
        }
        return await this.send(store, key, Number(match[1]), () => store.putIfAbsent(key, bytes, options))
      },
      get: async (key, options) => {
        const bytes = await store.get(key, options)
        if (this.hasSent && /^_delta_log\/\d{20}\.json$/.test(key)) this.tell({}, `read ${shortName(key)}`)
        return bytes
      },
    }
  }

  private async send(_: ObjectStore, key: string, version: number, put: () => Promise<'created' | 'exists'>) {
    this.sentAs = version
    try {
      const outcome = await put()
      this.tell({}, outcome === 'created' ? `wrote ${shortName(key)}` : `${shortName(key)} is taken`)
      return outcome
    } catch (error) {
      this.tell({}, `wrote ${shortName(key)}; the answer was lost`)
      throw error
    }
  }

  private plan(text: string): void {
    const views = actionViews(text)
    const named = (kind: string) => views.filter((view) => view.kind === kind).map(({ summary }) => shortName(summary))
    this.view = { ...this.view, phase: 'written', adds: named('add'), removes: named('remove') }
  }

  private async pause(): Promise<void> {
    const going = new Promise<void>((resolve) => {
      this.letGo = resolve
    })
    this.arrived?.()
    await going
  }

  private tell(change: Partial<LaneView>, line?: string): void {
    const trace = line === undefined ? this.view.trace : [...this.view.trace, line]
    this.view = { ...this.view, ...change, trace }
  }
}

export class Lanes {
  private readonly play: PlayTable
  private lanes: ReadonlyMap<LaneName, Lane>

  constructor(play: PlayTable) {
    this.play = play
    this.lanes = this.fresh()
  }

  get views(): LaneView[] {
    return LANES.map((name) => this.lane(name).view)
  }

  lane(name: LaneName): Lane {
    return this.lanes.get(name)!
  }

  reset(): void {
    this.lanes = this.fresh()
  }

  private fresh(): ReadonlyMap<LaneName, Lane> {
    return new Map(LANES.map((name) => [name, new Lane(name, this.play)]))
  }
}
