/** Two changes of one file at once: what the reference refuses and what `rowLevelConcurrency` lets through. */
import { beforeEach, describe, expect, test } from 'vitest'
import { jsEngine } from '../engine/js/index.ts'
import { isDeltaError } from '../errors/index.ts'
import { memoryStore, type ObjectStore } from '../storage/index.ts'
import { collect } from '../support/index.ts'
import { type DeltaTable, deltaTables, localBackend } from './index.ts'

const LOCATION = '/lake/orders'
const ROW_LEVEL = { rowLevelConcurrency: true }

let store: ObjectStore

/** The table as one process has it; before its first commit another gets to do `first`. */
async function tableBehind(first?: () => Promise<unknown>): Promise<DeltaTable> {
  let pending = first
  const inner = store
  const delayed: ObjectStore = {
    ...inner,
    putIfAbsent: async (key, bytes, options) => {
      const work = key.endsWith('.json') ? pending : undefined
      if (work !== undefined) pending = undefined
      await work?.()
      return await inner.putIfAbsent(key, bytes, options)
    },
  }
  const backend = localBackend({ openStore: async () => delayed, engine: jsEngine() })
  return await deltaTables(() => backend).forPath(LOCATION)
}

async function makeTable(properties: Record<string, string>): Promise<void> {
  store = memoryStore()
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  const rows = Array.from({ length: 10 }, (_, id) => ({ id, v: id * 10 }))
  await deltaTables(() => backend).write(LOCATION, rows, { properties })
}

async function end(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'committed',
    (error: unknown) => (isDeltaError(error) ? error.code : String(error)),
  )
}

/** The rows as `id:v`, and that no file is listed twice. */
async function rows(): Promise<string> {
  const table = await tableBehind()
  const paths = (await collect(table.files())).flat().map(({ path }) => path)
  expect(new Set(paths).size).toBe(paths.length)
  const found = (await table.rows()) as { id: bigint; v: bigint }[]
  return found
    .map(({ id, v }) => `${id}:${v}`)
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .join(' ')
}

const other = async (change: (table: DeltaTable) => Promise<unknown>) => await change(await tableBehind())

describe('UP-33: two writers on one file with deletion vectors', () => {
  beforeEach(() => makeTable({ 'delta.enableDeletionVectors': 'true' }))

  test('unasked, the later one fails as in the reference and can be run again', async () => {
    const table = await tableBehind(() => other((t) => t.delete('id = 2')))
    expect(await end(table.delete('id = 7'))).toBe('DELTA_CONCURRENT_APPEND.WITHOUT_HINT')
    expect(await end(table.delete('id = 7'))).toBe('committed')
    expect(await rows()).toBe('0:0 1:10 3:30 4:40 5:50 6:60 8:80 9:90')
  })

  test('deletes of other rows are joined', async () => {
    const table = await tableBehind(() => other((t) => t.delete('id = 2')))
    expect(await end(table.delete('id = 7', ROW_LEVEL))).toBe('committed')
    expect(await rows()).toBe('0:0 1:10 3:30 4:40 5:50 6:60 8:80 9:90')
    const [file] = (await collect((await tableBehind()).files())).flat()
    expect(file).toMatchObject({ deletionVector: { cardinality: 2 } })
  })

  test('several winners in a row are joined one after the other', async () => {
    const table = await tableBehind(async () => {
      await other((t) => t.delete('id = 1'))
      await other((t) => t.delete('id IN (3, 4)'))
    })
    expect(await end(table.update({ where: 'id = 7', set: { v: '-v' } }, ROW_LEVEL))).toBe('committed')
    expect(await rows()).toBe('0:0 2:20 5:50 6:60 7:-70 8:80 9:90')
  })

  test('updates of rows that their statistics tell apart are joined', async () => {
    const table = await tableBehind(() => other((t) => t.update({ where: 'id = 2', set: { v: '0' } })))
    expect(await end(table.update({ where: 'id = 7', set: { v: '-v' } }, ROW_LEVEL))).toBe('committed')
    expect(await rows()).toBe('0:0 1:10 2:0 3:30 4:40 5:50 6:60 7:-70 8:80 9:90')
  })

  test('an update that moves rows into the range of a delete stops it', async () => {
    const table = await tableBehind(() => other((t) => t.update({ where: 'id = 2', set: { id: 'id + 5' } })))
    expect(await end(table.delete('id = 7', ROW_LEVEL))).toBe('DELTA_CONCURRENT_APPEND.WITHOUT_HINT')
    expect(await rows()).toMatch(/7:20.*7:70|7:70.*7:20/)
  })

  test('two changes of one row conflict', async () => {
    const table = await tableBehind(() => other((t) => t.delete('id IN (2, 7)')))
    expect(await end(table.delete('id = 7', ROW_LEVEL))).toMatch(/^DELTA_CONCURRENT_/)
    expect(await rows()).toBe('0:0 1:10 3:30 4:40 5:50 6:60 8:80 9:90')
  })

  test('a file that went whole, or came back with its rows, is no disjoint change', async () => {
    const whole = await tableBehind(() => other((t) => t.delete('true')))
    expect(await end(whole.delete('id = 7', ROW_LEVEL))).toMatch(/^DELTA_CONCURRENT_DELETE_READ/)
    await makeTable({ 'delta.enableDeletionVectors': 'true' })
    await other((t) => t.delete('id = 2'))
    const restored = await tableBehind(() => other((t) => t.restoreToVersion(0)))
    expect(await end(restored.delete('id = 7', ROW_LEVEL))).toMatch(/^DELTA_CONCURRENT_/)
    expect(await rows()).toContain('7:70')
  })

  test('MERGE lets deletes of rows it does not meet through, unless a row that stays keeps another out', async () => {
    const source = [
      { id: 7, v: 1 },
      { id: 20, v: 2 },
    ]
    const merge = (table: DeltaTable) => table.as('t').merge(source, 't.id = s.id', { sourceAlias: 's', ...ROW_LEVEL })
    const sure = await tableBehind(() => other((t) => t.delete('id = 2')))
    expect(await end(merge(sure).whenMatchedUpdateAll().whenNotMatchedInsertAll().execute())).toBe('committed')
    expect(await rows()).toBe('0:0 1:10 3:30 4:40 5:50 6:60 7:1 8:80 9:90 20:2')
    const unsure = await tableBehind(() => other((t) => t.delete('id = 3')))
    const careful = merge(unsure).whenMatchedUpdateAll('s.v > 100').whenNotMatchedInsertAll()
    expect(await end(careful.execute())).toBe('committed')
    const late = await tableBehind(() => other((t) => t.delete('id = 4')))
    const open = late
      .as('t')
      .merge(
        [
          { id: 8, v: 1 },
          { id: 30, v: 0 },
        ],
        't.id = s.id',
        { sourceAlias: 's', ...ROW_LEVEL },
      )
      .whenMatchedUpdateAll('s.v > 0 AND t.v > 0')
      .whenNotMatchedInsertAll()
    expect(await end(open.execute())).toMatch(/^DELTA_CONCURRENT_/)
  })

  test('a change that fails in the end leaves none of its files behind', async () => {
    const table = await tableBehind(async () => {
      await other((t) => t.delete('id = 1'))
      await other((t) => t.delete('id = 7'))
    })
    const before = new Set((await collect(store.list({ prefix: 'deletion_vector' }))).flat().map(({ key }) => key))
    expect(await end(table.delete('id = 7', ROW_LEVEL))).toMatch(/^DELTA_CONCURRENT_/)
    const after = (await collect(store.list({ prefix: 'deletion_vector' }))).flat().map(({ key }) => key)
    expect(after.filter((key) => !before.has(key))).toHaveLength(2)
  })
})

describe('files that are rewritten', () => {
  beforeEach(() => makeTable({}))

  test('two rewrites of one file conflict, also when asked for rows', async () => {
    const table = await tableBehind(() => other((t) => t.delete('id = 2')))
    expect(await end(table.delete('id = 7', ROW_LEVEL))).toMatch(/^DELTA_CONCURRENT_/)
    expect(await rows()).toBe('0:0 1:10 3:30 4:40 5:50 6:60 7:70 8:80 9:90')
  })

  test('a rewrite of another file passes where statistics tell its rows apart', async () => {
    await other((t) =>
      t.append([
        { id: 100, v: 0 },
        { id: 101, v: 0 },
      ]),
    )
    const table = await tableBehind(() => other((t) => t.delete('id = 100')))
    expect(await end(table.delete('id = 7', ROW_LEVEL))).toBe('committed')
    expect(await rows()).toBe('0:0 1:10 2:20 3:30 4:40 5:50 6:60 8:80 9:90 101:0')
  })
})
