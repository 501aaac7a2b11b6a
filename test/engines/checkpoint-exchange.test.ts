/** A checkpoint that one engine wrote, read by the other: real ones of foreign tables among them. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { type Action, type ActionKind, printAction } from '../../src/kernel/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import type { ObjectStore } from '../../src/storage/index.ts'
import { collect } from '../../src/support/index.ts'
import { sharedMissing, sharedPath } from '../support/shared.ts'

const KINDS: readonly ActionKind[] = ['protocol', 'metaData', 'txn', 'domainMetadata', 'add', 'remove', 'sidecar']
const root = mkdtempSync(join(tmpdir(), 'checkpoints-'))
const js = jsEngine()
const duckdb = duckdbEngine({ threads: 2, memoryLimit: '1GB' })
const tables = sharedPath('tables')
const missing = sharedMissing('tables')

afterAll(async () => {
  await duckdb.close()
  rmSync(root, { recursive: true })
})

async function readActions(engine: Engine, store: ObjectStore, key: string): Promise<Action[]> {
  const { size } = await store.head(key)
  return (await collect(engine.readCheckpoint(store, [{ key, size, format: 'parquet' }], KINDS))).flat()
}

/** Actions as sorted lines; statistics apart, whose struct form engines may spell differently. */
function linesOf(actions: readonly Action[]): string[] {
  return actions
    .map((action) => {
      const { stats: _stats, ...add } = 'add' in action ? action.add : { stats: undefined }
      return printAction('add' in action ? ({ add } as Action) : action)
    })
    .map((line) => JSON.stringify(sortMembers(JSON.parse(line))))
    .sort()
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([name, member]) => [name, sortMembers(member)])
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1))
}

function findCheckpoints(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return findCheckpoints(path)
    return name.includes('.checkpoint.') && name.endsWith('.parquet') && statSync(path).size > 0 ? [path] : []
  })
}

if (missing !== undefined) console.log(`skipped the checkpoints of foreign tables: ${missing}`)
describe.skipIf(missing !== undefined)('checkpoints of foreign tables', () => {
  const paths = missing === undefined ? findCheckpoints(tables) : []
  // one checkpoint a table: they differ by writer, not by version
  const byTable = [...new Map(paths.map((path) => [relative(tables, dirname(dirname(path))), path])).entries()]

  test('are there', () => expect(byTable.length).toBeGreaterThan(20))

  test.each(byTable)('%s', async (table, path) => {
    const store = localStore(join(tables, table))
    const key = relative(join(tables, table), path)
    const byJs = await readActions(js, store, key)
    expect(linesOf(await readActions(duckdb, store, key))).toEqual(linesOf(byJs))
    for (const [writer, reader] of [[js, duckdb] as const, [duckdb, js] as const]) {
      const copy = localStore(join(root, writer.name))
      await writer.writeCheckpoint(copy, 'c.parquet', pagesOf(byJs), { content: 'v2' })
      expect(existsSync(join(root, writer.name, 'c.parquet'))).toBe(true)
      const withoutStats = byJs.map((action) => ('remove' in action ? withoutRemoveStats(action) : action))
      expect(linesOf(await readActions(reader, copy, 'c.parquet'))).toEqual(linesOf(withoutStats))
    }
  })
})

async function* pagesOf(actions: readonly Action[]) {
  yield actions
}

/** A checkpoint's removes carry neither statistics nor tags. */
function withoutRemoveStats(action: Action & { remove: unknown }): Action {
  const { stats: _stats, tags: _tags, ...remove } = (action as Extract<Action, { remove: unknown }>).remove
  return { remove } as Action
}
