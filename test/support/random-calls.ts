/** Random calls on a playground, and what a reader gets after each: for tests that read the table by other means. */
import type { Call, RowInput } from '../../explorer/src/calls/call.ts'
import { PlayTable } from '../../explorer/src/play/play-table.ts'
import { order } from '../../explorer/src/play/starter.ts'
import { jsEngine } from '../../src/browser.ts'

export interface RandomRun {
  readonly play: PlayTable
  /** sorted texts of the rows by version, as they were right after its commit */
  readonly rowsAt: ReadonlyMap<number, readonly string[]>
  /** calls that were refused, by code */
  readonly refused: ReadonlyMap<string, number>
}

const COUNTRIES = ['DE', 'FR', 'NL', 'BE'] as const
const QUERY = { where: '', offset: 0, limit: 5000, sort: null, fates: false }

/** Numbers from 0 to 1, the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** The columns that every version has, without their types. */
export const COMMON_COLUMNS = ['order_id', 'customer', 'country', 'month', 'amount'] as const

export async function runRandomCalls(seed: number, count: number): Promise<RandomRun> {
  const random = randomNumbers(seed)
  const play = new PlayTable('random', jsEngine())
  await play.begin({ from: 'first' })
  const rowsAt = new Map<number, readonly string[]>([[0, await rowTexts(play, 0)]])
  const refused = new Map<string, number>()
  for (let i = 0; i < count; i++) {
    const latest = Math.max(...rowsAt.keys())
    try {
      const { opened } = await play.perform(randomCall(random, latest))
      for (let version = latest + 1; version <= opened.latest; version++)
        rowsAt.set(version, await rowTexts(play, version))
    } catch (error) {
      const code = (error as { code?: string }).code ?? String(error)
      refused.set(code, (refused.get(code) ?? 0) + 1)
    }
  }
  return { play, rowsAt, refused }
}

export async function rowTexts({ reader }: PlayTable, version: number): Promise<string[]> {
  const { columns, rows } = await reader.rows(version, QUERY)
  const places = COMMON_COLUMNS.map((name) => columns.findIndex((column) => column.name === name))
  return rows.map((row) => places.map((place) => row[place] ?? 'null').join('|')).sort()
}

function randomCall(random: () => number, latest: number): Call {
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const row = (): RowInput => {
    const amount = (random() * 500).toFixed(2)
    return order(
      String(2000 + Math.floor(random() * 300)),
      'Nowak',
      one(COUNTRIES),
      '2024-04',
      amount,
      '2024-04-09 08:00:00',
    )
  }
  const rows = () => Array.from({ length: 1 + Math.floor(random() * 4) }, row)
  const unique = () => [...new Map(rows().map((known) => [known[0]![1], known])).values()]
  const kinds: readonly (readonly [number, () => Call])[] = [
    [30, () => ({ op: 'append', rows: rows(), mergeSchema: false })],
    [
      2,
      () => ({
        op: 'append',
        rows: rows().map((known) => [...known, ['channel', 'web'] as const]),
        mergeSchema: random() < 0.5,
      }),
    ],
    [18, () => ({ op: 'update', set: [['amount', 'amount + 1']], where: `country = '${one(COUNTRIES)}'` })],
    [16, () => ({ op: 'delete', where: `order_id like '%${Math.floor(random() * 100)}'` })],
    [
      14,
      () => ({
        op: 'merge',
        source: unique(),
        on: 't.order_id = s.order_id',
        clauses: [
          { when: 'matched', action: 'update', set: [['amount', 's.amount']], condition: 's.amount > t.amount' },
          { when: 'matched', action: 'delete', set: [], condition: "s.country = 'BE'" },
          {
            when: 'notMatched',
            action: 'insert',
            set: ['order_id', 'customer', 'country', 'month', 'amount', 'updated_at'].map(
              (name) => [name, `s.${name}`] as const,
            ),
            condition: '',
          },
        ],
        schemaEvolution: false,
      }),
    ],
    [2, () => ({ op: 'overwrite', rows: rows(), overwriteSchema: false, replaceWhere: '' })],
    [
      3,
      () => ({
        op: 'overwrite',
        rows: [order('1', 'Nowak', 'BE', '2024-04', '1.00', '2024-04-09 08:00:00')],
        overwriteSchema: false,
        replaceWhere: "country = 'BE'",
      }),
    ],
    [5, () => ({ op: 'optimize', where: '', zorderBy: random() < 0.3 ? ['amount'] : [] })],
    [4, () => ({ op: 'restore', version: Math.floor(random() * (latest + 1)) })],
    [3, () => ({ op: 'setProperty', key: 'delta.enableDeletionVectors', value: String(random() < 0.7) })],
    [1, () => ({ op: 'checkpoint' })],
    [2, () => ({ op: 'vacuum', hours: 168, dryRun: true })],
    [2, () => ({ op: 'wait', hours: 1 })],
  ]
  let at = random() * kinds.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, make] of kinds) {
    at -= weight
    if (at < 0) return make()
  }
  return { op: 'checkpoint' }
}
