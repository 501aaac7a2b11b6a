/** Partitions of one source that two workers share: whoever is second commits what is left. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { jsEngine } from '../../../engine/js/index.ts'
import { localStore } from '../../../storage/fs/index.ts'
import { encodeUtf8 } from '../../../support/index.ts'
import { deltaTables, localBackend } from '../../../table/index.ts'
import { type DeltaDestinationConfig, parseWorkerConfig } from '../../config/config.ts'
import { Meter } from '../../server/meter.ts'
import type { BatchOutcome } from '../../sources/source.ts'
import { DeltaDestination } from './delta-destination.ts'

let folder: string
const opened: DeltaDestination[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bayou-shared-'))
})
afterEach(async () => {
  for (const destination of opened.splice(0)) await destination.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A worker of the group `g`, whose commits are made when it finishes. */
async function worker(name: string) {
  const { routes, destinations } = parseWorkerConfig({
    name,
    sources: [{ id: 'topic', type: 'generator', schema: 'id BIGINT' }],
    routes: [{ source: 'topic', destination: 'lake' }],
    destinations: [
      {
        id: 'lake',
        type: 'delta',
        location: join(folder, 'table'),
        fileIntervalSecs: 3600,
        deadLetterFile: join(folder, `${name}.ndjson`),
      },
    ],
  })
  const destination = new DeltaDestination({
    config: destinations[0] as DeltaDestinationConfig,
    owner: name,
    record: routes[0]!.outputSchema,
    engine: jsEngine(),
    env: {},
    meter: new Meter('lake', () => undefined),
    owners: new Map([['topic', 'g']]),
  })
  opened.push(destination)
  await destination.start()
  const outcomes: BatchOutcome[] = []
  const give = (places: readonly number[], bad: readonly number[] = []) =>
    destination.take({
      source: 'topic',
      format: { format: 'ndjson', delimiter: ',', nullText: undefined },
      isReplayable: true,
      routes,
      settle: (outcome) => outcomes.push(outcome),
      batch: {
        partition: 'p/0',
        bytes: encodeUtf8(places.map((id) => (bad.includes(id) ? 'x\n' : `{"id":${id}}\n`)).join('')),
        start: BigInt(places[0]!),
        end: BigInt(places.at(-1)! + 1),
        unit: 'record',
        places: places.map(BigInt),
      },
    })
  return { destination, outcomes, give }
}

async function ids(): Promise<number[]> {
  const backend = localBackend({ openStore: async (path) => localStore(path), engine: jsEngine() })
  const rows = await (await deltaTables(() => backend).forPath(join(folder, 'table'))).scan().rows()
  await backend.close()
  return rows.map(({ id }) => Number(id)).sort((a, b) => a - b)
}

test('what another worker committed meanwhile is left out, and the rest is committed', async () => {
  const [slow, fast] = [await worker('slow'), await worker('fast')]
  await slow.give([0, 1, 2, 5, 9])
  await fast.give([0, 1, 2, 5])
  await fast.destination.finish()
  await slow.destination.finish()
  expect(await ids()).toEqual([0, 1, 2, 5, 9])
  expect(slow.outcomes).toEqual([{ kind: 'committed', refused: 0 }])
  await fast.destination.refreshPositions()
  expect(fast.destination.positionOf('topic', 'p/0')).toBe(10n)
})

test('a worker that comes late with what is in the table whole commits nothing, and goes on', async () => {
  const [zombie, heir] = [await worker('zombie'), await worker('heir')]
  await zombie.give([0, 1, 2])
  await heir.give([0, 1])
  await heir.give([2, 3])
  await heir.destination.finish()
  await zombie.destination.finish()
  expect(await ids()).toEqual([0, 1, 2, 3])
  await zombie.give([4, 5])
  await zombie.destination.finish()
  expect(await ids()).toEqual([0, 1, 2, 3, 4, 5])
})

test('a round that leaves no row is no reason to commit its place behind what another has reached', async () => {
  const [first, second] = [await worker('first'), await worker('second')]
  await first.give([0, 1], [0, 1])
  await first.destination.finish()
  await second.give([0, 1, 2], [0, 1])
  await second.destination.finish()
  await first.give([2, 3])
  await first.destination.finish()
  expect(await ids()).toEqual([2, 3])
})

test('letters name places with gaps between them', async () => {
  const { destination, give } = await worker('one')
  await give([3, 7, 11], [7])
  await destination.finish()
  expect(await ids()).toEqual([3, 11])
  const [letter] = readFileSync(join(folder, 'one.ndjson'), 'utf8').trim().split('\n')
  expect(JSON.parse(letter!)).toMatchObject({ partition: 'p/0', position: '7', record: 'x' })
})
