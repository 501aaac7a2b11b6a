/** Every table of a folder with a manifest, read by both engines, each difference printed. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { checkTable } from './check-table.ts'
import { type RecordedTable, recordedTables } from './recorded-tables.ts'

/**
 * Prints `table by engine: difference` for each difference, and one line of counts at the end.
 *
 * @param names only tables whose name holds one of these texts; all of them when empty
 * @returns the number of tables that differ
 */
export async function checkFolder(folder: string, names: readonly string[]): Promise<number> {
  const tables = recordedTables(folder).filter(({ name }) => {
    return names.length === 0 || names.some((text) => name.includes(text))
  })
  const below = mkdtempSync(join(tmpdir(), 'bayou-conformance-'))
  const engines = [duckdbEngine(), jsEngine()]
  const differing = new Set<string>()
  try {
    for (const table of tables) {
      for (const engine of engines) {
        for (const fault of await faultsOf(engine, table, join(below, engine.name))) {
          differing.add(table.name)
          console.log(`${table.name} by ${engine.name}: ${fault}`)
        }
      }
    }
  } finally {
    for (const engine of engines) await engine.close()
    rmSync(below, { recursive: true })
  }
  const unrecorded = tables.filter(({ versions }) => versions.size === 0).length
  console.log(`${tables.length} tables, ${differing.size} differ, ${unrecorded} without a recording`)
  return differing.size
}

async function faultsOf(engine: Engine, table: RecordedTable, below: string): Promise<string[]> {
  if (table.versions.size === 0) return []
  if (!existsSync(table.folder)) return [`there is no folder ${table.folder}`]
  const options = { below, rowVersions: Number.POSITIVE_INFINITY, fewer: false }
  return await checkTable(engine, table, options).catch((error: unknown) => [`it broke: ${error}`])
}
