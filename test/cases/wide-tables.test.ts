/** Tables of thousands of columns: what they cost to write, to checkpoint and to read in part. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { field, longType, structType } from '../../src/schema/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { deltaTables, localBackend } from '../../src/table/index.ts'

const COLUMNS = 10_000
/** of processor time, which other work on the machine does not change */
const LIMIT_MS = 60_000
const LIMIT_BYTES = 1024 * 1024 * 1024

const folder = mkdtempSync(join(tmpdir(), 'bayou-wide-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const schema = structType(Array.from({ length: COLUMNS }, (_, i) => field(`c${i}`, longType)))
const rowOf = (n: number) => Object.fromEntries(schema.fields.map(({ name }, i) => [name, BigInt(n * COLUMNS + i)]))

describe.each([jsEngine(), duckdbEngine()])('UP-50 ten thousand columns, by $name', (engine) => {
  test('are appended, checkpointed and read in part within a minute and a gigabyte', { timeout: 300_000 }, async () => {
    const path = join(folder, engine.name)
    const backend = localBackend({ openStore: async (location) => localStore(location), engine })
    const start = process.cpuUsage()
    const tables = deltaTables(() => backend)
    await tables.write(path, [rowOf(0), rowOf(1)], { schema })
    const table = await tables.forPath(path)
    await table.append([rowOf(2)])
    await table.checkpoint()
    const found = await table.scan({ select: ['c9999', 'c0', 'c33'], where: 'c0 >= 10000', as: 'exact' }).rows()
    expect(found.map((row) => Object.values(row).map(String))).toEqual(
      expect.arrayContaining([
        ['19999', '10000', '10033'],
        ['29999', '20000', '20033'],
      ]),
    )
    expect(found).toHaveLength(2)
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1000).toBeLessThan(LIMIT_MS)
    expect(process.memoryUsage().rss).toBeLessThan(LIMIT_BYTES)
    const log = join(path, '_delta_log')
    for (const name of readdirSync(log).filter((file) => file.endsWith('.json') && !file.startsWith('_'))) {
      for (const line of readFileSync(join(log, name), 'utf8').trim().split('\n')) {
        const { add } = JSON.parse(line) as { add?: { stats: string } }
        if (add === undefined) continue
        const { minValues, nullCount } = JSON.parse(add.stats) as Record<string, object>
        // statistics are of the first columns alone
        expect([Object.keys(minValues!).length, Object.keys(nullCount!).length]).toEqual([32, 32])
      }
    }
    await backend.close()
  })
})
