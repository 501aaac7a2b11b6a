/** Registers one test a recorded table: every version of it, read by an engine, against the recording. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/index.ts'
import { checkTable } from './check-table.ts'
import type { RecordedTable } from './recorded-tables.ts'

/** Rows are read at the latest version and spread over the others; `BAYOU_CONFORMANCE=full` reads them at all. */
const ROW_VERSIONS = process.env.BAYOU_CONFORMANCE === 'full' ? Number.POSITIVE_INFINITY : 3

export interface ConformanceOptions {
  readonly tables: readonly RecordedTable[]
  readonly engine: Engine
  /** only the versions whose rows are read: enough for a second engine over the same kernel */
  readonly fewer?: boolean
}

export function conformance(title: string, { tables, engine, fewer = false }: ConformanceOptions): void {
  describe(`${title} by ${engine.name}`, () => {
    const below = mkdtempSync(join(tmpdir(), 'bayou-conformance-'))
    afterAll(async () => {
      await engine.close()
      rmSync(below, { recursive: true })
    })
    for (const table of tables) {
      it(table.name, async () => {
        expect(await checkTable(engine, table, { below, rowVersions: ROW_VERSIONS, fewer })).toEqual([])
      })
    }
  })
}
