/**
 * Ids and commit versions of rows, as the reference read them through `_metadata` while it made the recorded tables.
 *
 * Every recorded SELECT that names them is asked again, at the version that was the newest then, in both engines.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { deltaTables, localBackend } from '../../src/table/index.ts'
import { sparkTables } from './recorded-tables.ts'

interface Statement {
  readonly sql: string
  readonly newVersions?: readonly number[]
  readonly rows?: readonly Readonly<Record<string, unknown>>[]
}

interface Recorded {
  readonly name: string
  readonly folder: string
  readonly version: number
  /** as the statement names them */
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

const SELECT = /^SELECT ((?:[\w.]+(?:, )?)+) FROM \$T(?: ORDER BY \w+)?$/

function recordedReads(name: string, folder: string): Recorded[] {
  const text = readFileSync(join(folder, '../expected.json'), 'utf8')
  const reads: Recorded[] = []
  let version = -1
  for (const { sql, newVersions, rows } of (JSON.parse(text) as { statements: Statement[] }).statements) {
    version = newVersions?.at(-1) ?? version
    const list = SELECT.exec(sql)?.[1]
    if (rows === undefined || list === undefined || !list.includes('_metadata.')) continue
    reads.push({ name, folder, version, columns: list.split(', '), rows })
  }
  return reads
}

const reads = sparkTables().flatMap(({ name, folder }) => recordedReads(name, folder))

for (const engine of [jsEngine(), duckdbEngine()]) {
  describe(`row ids by ${engine.name}`, () => {
    const backend = localBackend({ openStore: async (folder) => localStore(folder), engine })
    afterAll(() => backend.close())

    it('are in recorded tables', () => expect(reads.length).toBeGreaterThan(5))

    it.each(reads)('$name at version $version: $columns', async ({ folder, version, columns, rows }) => {
      const table = await deltaTables(() => backend).forPath(folder)
      const found = await table.scan({ version, select: columns, as: 'exact' }).rows()
      const texts = found.map((row) => JSON.stringify(columns.map((column) => String(row[column]))))
      const expected = rows.map((row) =>
        JSON.stringify(columns.map((column) => String(row[column.split('.').at(-1)!]))),
      )
      expect(texts.sort()).toEqual(expected.sort())
    })
  })
}
