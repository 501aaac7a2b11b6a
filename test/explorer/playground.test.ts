/** The playground's table without a page: the real kernel and engine over a store in memory. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Call } from '../../explorer/src/calls/call.ts'
import { printSql } from '../../explorer/src/calls/print-sql.ts'
import { printTypeScript } from '../../explorer/src/calls/print-typescript.ts'
import { CallTextError, readTypeScript } from '../../explorer/src/calls/read-typescript.ts'
import { Lanes } from '../../explorer/src/play/lanes.ts'
import { previewMerge } from '../../explorer/src/play/merge-preview.ts'
import { PlayTable } from '../../explorer/src/play/play-table.ts'
import { readSql } from '../../explorer/src/play/read-sql.ts'
import { COLUMNS, CORRECT_1043, FIRST_ROWS, STARTER_CALLS, SUPPLIER_MERGE } from '../../explorer/src/play/starter.ts'
import { unzipTable, zipTable } from '../../explorer/src/play/zip.ts'
import { jsEngine } from '../../src/browser.ts'

const QUERY = { where: '', offset: 0, limit: 200, sort: { column: 0, descending: false }, fates: true }
const TYPES = new Map([
  ['order_id', 'string'],
  ['customer', 'string'],
  ['country', 'string'],
  ['month', 'string'],
  ['amount', 'decimal(10,2)'],
  ['updated_at', 'timestamp'],
])

async function started(calls: readonly Call[] = [], from: 'starter' | 'first' = 'starter'): Promise<PlayTable> {
  const play = new PlayTable('t', jsEngine())
  await play.begin({ from, calls })
  return play
}

const idsAt = async (play: PlayTable, version: number) =>
  (await play.reader.rows(version, QUERY)).rows.map(([id]) => Number(id))

describe('the starter table', () => {
  let play: PlayTable
  beforeAll(async () => {
    play = await started()
  })

  test('has the history of the story', async () => {
    const { versions } = await play.reader.open()
    expect(
      versions.map(({ version, operation, filesAdded, filesRemoved }) => [
        version,
        operation,
        filesRemoved,
        filesAdded,
      ]),
    ).toEqual([
      [7, 'RESTORE', 2, 2],
      [6, 'WRITE', 0, 1],
      [5, 'WRITE', 2, 1],
      [4, 'MERGE', 2, 1],
      [3, 'DELETE', 1, 1],
      [2, 'UPDATE', 1, 1],
      [1, 'WRITE', 0, 1],
      [0, 'WRITE', 0, 2],
    ])
    expect(await idsAt(play, 7)).toEqual(await idsAt(play, 4))
    expect(await idsAt(play, 1)).toEqual([1041, 1042, 1043, 1044, 1045, 1046, 1047, 1048, 1049, 1050, 1051, 1052])
  })

  test('draws the files by what they are to a version, and rows by what the commit did', async () => {
    const { files } = await play.reader.folder(3, { nowMs: play.nowMs })
    const drawn = files.map(
      ({ rows, label, touched, cells }) => `${rows} ${label}${touched ? ` ${touched} ${cells}` : ''}`,
    )
    expect(drawn).toEqual([
      '4 removed in v2',
      '4 removed in v3 removed same,gone,same,gone',
      '4 live',
      '4 live',
      '2 live added same,same',
      '9 added in v4',
      '2 added in v5',
      '1 added in v6',
    ])
    const rows = await play.reader.rows(2, QUERY)
    expect(rows.fates?.filter((fate) => fate !== 'same')).toEqual(['changed'])
  })

  test('tells in which commit a row left, and by what', async () => {
    const told = async (id: string) => {
      const { events, alive } = await play.reader.story(`order_id = '${id}'`)
      return [...events.map(({ version, operation, what }) => `v${version} ${operation} ${what}`), alive]
    }
    expect(await told('1046')).toEqual(['v0 WRITE appeared', 'v3 DELETE disappeared', false])
    expect(await told('1043')).toEqual([
      'v0 WRITE appeared',
      'v2 UPDATE changed',
      'v4 MERGE moved',
      'v5 WRITE disappeared',
      'v7 RESTORE appeared',
      true,
    ])
  })

  test('compares versions', async () => {
    const { gone, fresh, changed, filesKept } = await play.reader.difference(1, 4)
    expect(gone.map(([id]) => id)).toEqual(['1046', '1048', '1051'])
    expect(fresh.map(([id]) => id)).toEqual(['1053', '1054'])
    expect(changed.map(({ after }) => after[0]).sort()).toEqual(['1043', '1044'])
    expect(filesKept).toBe(0)
  })

  test('comes back from a zip', async () => {
    const objects = unzipTable(zipTable(play.store.objects()))
    const other = new PlayTable('other', jsEngine())
    await other.load({ objects, nowMs: play.nowMs, calls: [], start: null })
    for (let version = 0; version <= 7; version++)
      expect(await idsAt(other, version)).toEqual(await idsAt(play, version))
  })
})

describe('calls', () => {
  const calls: readonly Call[] = [
    ...STARTER_CALLS.slice(0, 3),
    SUPPLIER_MERGE,
    { op: 'delete', where: '' },
    { op: 'overwrite', rows: FIRST_ROWS, overwriteSchema: false, replaceWhere: '' },
    { op: 'restore', version: 3 },
    { op: 'optimize', where: "country = 'DE'", zorderBy: ['order_id'] },
    { op: 'vacuum', hours: 0, dryRun: true },
    { op: 'setProperty', key: 'delta.appendOnly', value: "it's" },
    { op: 'dropFeature', feature: 'deletionVectors', truncateHistory: true },
    { op: 'checkpoint' },
  ]

  test.each(calls.map((call) => [call.op, call] as const))(
    '%s reads back from the program it is written as',
    (_, call) => {
      expect(readTypeScript(printTypeScript(call))).toEqual(call)
    },
  )

  test.each(calls.map((call) => [call.op, call] as const))('%s means the same as a statement', (_, call) => {
    const source = call.op === 'merge' ? call.source : undefined
    const sql = printSql(call, TYPES)
    const again = readSql(sql, COLUMNS, source)
    expect(again.op).toBe(call.op)
    expect(printSql(again, TYPES).replaceAll(/\s+/g, ' ')).toBe(
      printSql(readSql(sql, COLUMNS, source), TYPES).replaceAll(/\s+/g, ' '),
    )
    if (call.op === 'append')
      expect(again).toEqual({
        ...call,
        rows: call.rows.map((row) =>
          row.map(([name, value]) => [name, name === 'updated_at' ? `${String(value).replace(' ', 'T')}Z` : value]),
        ),
      })
  })

  test('a program that is no call is refused with its place', () => {
    expect(() => readTypeScript('await orders.explode()')).toThrow(CallTextError)
    expect(() => readTypeScript('await orders.append([{ a: x }])')).toThrow('x is not defined')
    expect(() => readTypeScript("orders.as('t').merge([], 'true').whenMatchedDelete()")).toThrow('execute()')
    expect(() => readTypeScript('fetch(`/`)')).toThrow(CallTextError)
  })

  test('a refused call changes nothing, undo takes the last one back', async () => {
    const play = await started([], 'first')
    await expect(
      play.perform({ op: 'append', rows: [[...FIRST_ROWS[0]!, ['channel', 'web']]], mergeSchema: false }),
    ).rejects.toMatchObject({ code: 'DELTA_METADATA_MISMATCH' })
    const grown = await play.perform({
      op: 'append',
      rows: [[...FIRST_ROWS[0]!, ['channel', 'web']]],
      mergeSchema: true,
    })
    expect(grown.columns.at(-1)).toEqual({ name: 'channel', type: 'string' })
    const back = await play.undo()
    expect([back.opened.latest, back.columns.length, back.canUndo]).toEqual([0, 6, false])
    const { version, actions } = await play.perform(CORRECT_1043)
    expect([version, ...actions.map(({ kind }) => kind)]).toEqual([1, 'commitInfo', 'remove', 'add'])
  })

  test('vacuum deletes what is older than the retention, and says which versions are lost', async () => {
    const play = await started()
    const dry = await play.perform({ op: 'vacuum', hours: 168, dryRun: true })
    expect([dry.version, dry.answer?.rows.length]).toEqual([null, 0])
    await play.perform({ op: 'wait', hours: 24 * 30 })
    const { files } = await play.reader.folder(7, { nowMs: play.nowMs })
    expect(files.filter(({ state }) => state === 'vacuumable')).toHaveLength(6)
    const { opened } = await play.perform({ op: 'vacuum', hours: 168, dryRun: false })
    expect(opened.unreadable.map(({ version }) => version)).toEqual([0, 1, 2, 3, 5, 6])
    expect(await idsAt(play, 4)).toContain(1053)
  })
})

describe('MERGE', () => {
  test('tells which clause fires for each row before anything happens', async () => {
    const play = await started(STARTER_CALLS.slice(0, 1), 'first')
    const preview = await previewMerge(SUPPLIER_MERGE as Extract<Call, { op: 'merge' }>, await play.opened())
    const fires = (side: 'target' | 'source') =>
      preview[side].flatMap(({ cells, clause }) => (clause === null ? [] : [`${cells[0]} ${clause}`]))
    expect(fires('target')).toEqual(['1044 1', '1051 0'])
    expect(fires('source')).toEqual(['1044 1', '1053 2', '1054 2', '1051 0'])
    expect((await play.reader.open()).latest).toBe(1)
  })
})

describe('two writers', () => {
  const update = (id: string): Call => ({ op: 'update', set: [['amount', '1.00']], where: `order_id = '${id}'` })
  const append: Call = { op: 'append', rows: [FIRST_ROWS[0]!], mergeSchema: false }

  async function race(a: Call, b: Call, lostAnswer = false) {
    const play = await started([], 'first')
    const lanes = new Lanes(play)
    await lanes.lane('A').start(a, lostAnswer)
    await lanes.lane('B').start(b, false)
    for (const name of ['A', 'B'] as const) {
      for (let i = 0; i < 3 && !['committed', 'lost', 'failed'].includes(lanes.lane(name).view.phase); i++)
        await lanes.lane(name).step()
    }
    return lanes.views
  }

  test('two appends both land, the second under the next number', async () => {
    const [a, b] = await race(append, append)
    expect([a?.phase, a?.version, b?.phase, b?.version]).toEqual(['committed', 1, 'committed', 2])
    expect(b?.trace.join('; ')).toContain('is taken')
  })

  test('two updates of one file: the second loses', async () => {
    const [a, b] = await race(update('1043'), update('1041'))
    expect([a?.phase, b?.phase]).toEqual(['committed', 'lost'])
    expect(b?.failure?.code).toMatch(/^DELTA_CONCURRENT_APPEND/)
  })

  test('a lost answer is settled by the mark of the commit', async () => {
    const [a] = await race(append, append, true)
    expect([a?.phase, a?.version]).toEqual(['committed', 1])
    expect(a?.trace.join('; ')).toContain('the answer was lost')
  })
})
