/** What one engine wrote, the other reads: generated tables of every type. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { addOf, scanPlan, scanTexts, textsOf, writeRows } from '../../src/engine/contract/ground.ts'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { tables } from '../support/typed-rows.ts'

const root = mkdtempSync(join(tmpdir(), 'exchange-'))
const duckdb = duckdbEngine({ threads: 2, memoryLimit: '1GB' })
const js = jsEngine()
let folders = 0

afterAll(async () => {
  await duckdb.close()
  rmSync(root, { recursive: true })
})

async function expectExchange(writer: Engine, reader: Engine, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(tables, async ({ schema, rows }) => {
      const store = localStore(join(root, `t${folders++}`))
      const layout = { schema, partitionColumns: [], columnMapping: 'none' } as const
      const { files } = await writeRows({ engine: writer, store }, layout, rows)
      const plan = scanPlan(
        { engine: reader, store },
        layout,
        files.map((file) => addOf(file)),
      )
      expect(await scanTexts(reader, plan)).toEqual(textsOf(rows, schema))
    }),
    { numRuns },
  )
}

describe('generated tables', () => {
  test('written by js are read by duckdb', () => expectExchange(js, duckdb, 100))

  test('written by duckdb are read by js', () => expectExchange(duckdb, js, 60))
})
