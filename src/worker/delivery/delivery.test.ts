import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { deltaError } from '../../errors/index.ts'
import type { Delivery } from '../destinations/destination.ts'
import type { BatchOutcome } from '../sources/source.ts'
import { type DeadLetter, openDeadLetters } from './dead-letters.ts'
import { Rounds, type RoundsOptions } from './rounds.ts'

function deliveryOf(bytes: number, outcomes: BatchOutcome[] = []): Delivery {
  return {
    source: 's',
    format: { format: 'ndjson', delimiter: ',', nullText: undefined },
    isReplayable: true,
    routes: [],
    settle: (outcome) => outcomes.push(outcome),
    batch: { partition: '0', bytes: new Uint8Array(bytes), start: 0n, end: BigInt(bytes), unit: 'byte' },
  }
}

const sizesOf = (round: readonly Delivery[]) => round.map(({ batch }) => batch.bytes.length)

describe('rounds', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function roundsOf(options: Partial<RoundsOptions<readonly Delivery[]>>) {
    const written: number[][] = []
    const stalls: (string | undefined)[] = []
    const rounds = new Rounds({
      intervalMs: 5000,
      limitBytes: 100,
      stallAfterMs: 60_000,
      prepare: async (round) => round,
      commit: async (round) => void written.push(sizesOf(round)),
      onStall: (reason) => stalls.push(reason),
      random: () => 1,
      ...options,
    })
    return { rounds, written, stalls }
  }

  it('the interval counts from the first batch; without batches nothing is written', async () => {
    const { rounds, written } = roundsOf({})
    await vi.advanceTimersByTimeAsync(20_000)
    await rounds.take(deliveryOf(10))
    await vi.advanceTimersByTimeAsync(3000)
    await rounds.take(deliveryOf(20))
    await vi.advanceTimersByTimeAsync(1999)
    expect(written).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(written).toEqual([[10, 20]])
    await vi.advanceTimersByTimeAsync(20_000)
    expect(written).toEqual([[10, 20]])
  })

  it('a round ends before its bytes pass the limit; one batch larger than it is a round of its own', async () => {
    const { rounds, written } = roundsOf({})
    for (const bytes of [60, 30, 20, 100, 500, 1]) await rounds.take(deliveryOf(bytes))
    await rounds.finish()
    expect(written).toEqual([[60, 30], [20], [100], [500], [1]])
  })

  it('holds two rounds at most: then taking waits', async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const { rounds } = roundsOf({ commit: () => gate })
    let taken = 0
    const taking = (async () => {
      for (let i = 0; i < 5; i++) {
        await rounds.take(deliveryOf(100))
        taken++
      }
    })()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(taken).toBe(2)
    expect(rounds.heldBytes).toBe(200)
    open()
    await taking
    await rounds.finish()
    expect(rounds.heldBytes).toBe(0)
  })

  it('two rounds are prepared side by side and committed in order', async () => {
    const story: string[] = []
    const { rounds } = roundsOf({
      prepare: async (round) => {
        const name = String(sizesOf(round))
        story.push(`prepare ${name}`)
        await new Promise((resolve) => setTimeout(resolve, name === '91' ? 1000 : 10))
        return round
      },
      commit: async (round) => void story.push(`commit ${sizesOf(round)}`),
    })
    const taking = (async () => {
      for (const bytes of [91, 92, 93]) await rounds.take(deliveryOf(bytes))
      await rounds.finish()
    })()
    await vi.advanceTimersByTimeAsync(5000)
    await taking
    expect(story).toEqual(['prepare 91', 'prepare 92', 'commit 91', 'commit 92', 'prepare 93', 'commit 93'])
  })

  it('a round is prepared anew when its commits failed for the stall time', async () => {
    let prepared = 0
    let tries = 0
    const { rounds } = roundsOf({
      prepare: async (round) => {
        prepared++
        return round
      },
      commit: async () => {
        if (++tries < 10) throw deltaError('LAKE_STORAGE_UNAVAILABLE', { operation: 'put', key: 'x', cause: 'planned' })
      },
    })
    await rounds.take(deliveryOf(100))
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect([tries, prepared]).toEqual([10, 3])
  })

  it('a running worker tries a failed round for ever, ever more slowly, and says so once', async () => {
    let tries = 0
    const { rounds, stalls } = roundsOf({
      commit: async () => {
        if (++tries < 12) throw deltaError('LAKE_STORAGE_FULL', { operation: 'put', key: 'x', cause: 'planned' })
      },
    })
    await rounds.take(deliveryOf(100))
    await vi.advanceTimersByTimeAsync(1000 + 2000 + 4000)
    expect(tries).toBe(4)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(tries).toBe(12)
    expect(stalls).toEqual([expect.stringContaining('no space left'), undefined])
  })

  it('one that stops gives up after the stall time, and acknowledges nothing', async () => {
    const error = deltaError('LAKE_STORAGE_UNAVAILABLE', { operation: 'put', key: 'x', cause: 'planned' })
    const { rounds } = roundsOf({ commit: () => Promise.reject(error) })
    const outcomes: BatchOutcome[] = []
    await rounds.take(deliveryOf(100, outcomes))
    const finishing = expect(rounds.finish()).rejects.toBe(error)
    await vi.advanceTimersByTimeAsync(120_000)
    await finishing
    expect(outcomes).toEqual([{ kind: 'failed', error }])
    await expect(rounds.take(deliveryOf(1))).rejects.toBe(error)
  })

  it('what trying again cannot cure ends it at once', async () => {
    const error = deltaError('WORKER_POSITION_MOVED', { appId: 'a', expected: 1, found: 2 })
    const { rounds } = roundsOf({ commit: () => Promise.reject(error) })
    await rounds.take(deliveryOf(100))
    await vi.advanceTimersByTimeAsync(1)
    await expect(rounds.take(deliveryOf(1))).rejects.toBe(error)
  })
})

describe('dead letters', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bayou-letters-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const letter = (position: bigint, more: Partial<DeadLetter> = {}): DeadLetter => ({
    source: 's',
    partition: '0',
    position,
    route: 'r',
    reason: 'because',
    record: `{"n":${position}}`,
    ...more,
  })
  const open = (next: bigint | 'unknown' = 0n) =>
    openDeadLetters({
      path: join(folder, 'deep/dead.ndjson'),
      destination: 'd',
      positionOf: () => (next === 'unknown' ? undefined : next),
    })
  const lines = async () => (await readFile(join(folder, 'deep/dead.ndjson'), 'utf8')).trimEnd().split('\n')

  it('one JSON object a line: the record, the reason, the place', async () => {
    const letters = await open()
    await letters.add([letter(5n)])
    await letters.close()
    expect((await lines()).map((line) => JSON.parse(line))).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-/),
        source: 's',
        partition: '0',
        position: '5',
        route: 'r',
        destination: 'd',
        reason: 'because',
        record: '{"n":5}',
      },
    ])
  })

  it('without a refused record there is no file', async () => {
    const letters = await open()
    await letters.add([])
    await letters.close()
    await expect(lines()).rejects.toThrow('ENOENT')
  })

  it('a record whose round failed, or that comes again after a crash, is noted once', async () => {
    const first = await open()
    await first.add([letter(5n), letter(9n)])
    await first.add([letter(5n), letter(9n), letter(12n)])
    await first.close()
    const second = await open(9n)
    await second.add([letter(9n), letter(12n), letter(15n)])
    await second.close()
    expect((await lines()).map((line) => JSON.parse(line).position)).toEqual(['5', '9', '12', '15'])
  })

  it('places of a source that cannot go back mean nothing after a restart', async () => {
    const first = await open('unknown')
    await first.add([letter(0n)])
    await first.close()
    const second = await open('unknown')
    await second.add([letter(0n)])
    await second.close()
    expect(await lines()).toHaveLength(2)
  })

  it('a line cut short by a crash is cut off', async () => {
    const first = await open()
    await first.add([letter(1n)])
    await first.close()
    await appendFile(join(folder, 'deep/dead.ndjson'), '{"source":"s","part')
    const second = await open()
    await second.add([letter(2n)])
    await second.close()
    expect((await lines()).map((line) => JSON.parse(line).position)).toEqual(['1', '2'])
  })

  it('a file that cannot be written is told by its path, and trying again may help', async () => {
    const letters = await openDeadLetters({ path: '/dev/null/x', destination: 'd', positionOf: () => 0n }).catch(
      (e) => e,
    )
    expect(letters).toMatchObject({ code: 'WORKER_DEAD_LETTERS_FAILED', retryable: true })
  })
})
