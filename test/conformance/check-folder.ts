/** Every table of a folder, read by both engines, each difference printed. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { checkTable } from './check-table.ts'
import { latestAnswer } from './latest-answer.ts'
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
      if (table.versions.size === 0) {
        const fault = await partingOf(engines, table)
        if (fault !== undefined) differing.add(table.name)
        if (fault !== undefined) console.log(`${table.name}: ${fault}`)
        continue
      }
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

/** Without a recording the engines are held against each other, at the latest version. */
async function partingOf(engines: readonly Engine[], { folder }: RecordedTable): Promise<string | undefined> {
  if (!existsSync(folder)) return `there is no folder ${folder}`
  const answers: string[] = []
  for (const engine of engines) {
    answers.push(await latestAnswer(engine, folder).catch((error: unknown) => `it broke: ${error}`))
  }
  const broken = answers.find((answer) => answer.startsWith('it broke'))
  if (broken !== undefined) return broken
  if (new Set(answers).size === 1) return undefined
  const firsts = answers.map((answer, i) => `${engines[i]!.name} gives ${answer.split('\n')[0]}`)
  return `the engines part: ${firsts.join(', ')}`
}

async function faultsOf(engine: Engine, table: RecordedTable, below: string): Promise<string[]> {
  if (!existsSync(table.folder)) return [`there is no folder ${table.folder}`]
  const options = { below, rowVersions: Number.POSITIVE_INFINITY, fewer: false }
  return await checkTable(engine, table, options).catch((error: unknown) => [`it broke: ${error}`])
}
