/** Every recorded lake, at every snapshot; a new one needs no code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Lake, queryLake } from '../../src/ducklake/index.ts'
import { type Expected, recordedRows, rowsHash, sorted } from './expected.ts'
import { lakesFolder, openStore } from './lakes.ts'

const root = lakesFolder

interface Fixture {
  readonly name: string
  readonly catalog: string
  readonly dataPath: string
  readonly expected: string
}

function fixtures(): Fixture[] {
  return readdirSync(root).flatMap((folder) => {
    const path = join(root, folder)
    if (!existsSync(join(path, 'expected.json'))) return []
    const catalogs = readdirSync(path).filter((name) => /\.(duckdb|sqlite)$/.test(name) && !/v2\.0/.test(name))
    return catalogs.map((catalog) => ({
      name: `${folder}/${catalog}`,
      catalog: join(path, catalog),
      dataPath: join(path, 'data'),
      expected: join(path, 'expected.json'),
    }))
  })
}

/** Tables of which the extension records changes that no row made: it counts what compaction moved, or a row twice. */
const MISCOUNTED = new Set([
  'merged/catalog.duckdb main.t',
  'merged/catalog.duckdb main.w',
  'migrated-v03/catalog.duckdb main.t',
])

describe('lakes as they were recorded', () => {
  for (const fixture of fixtures()) {
    const expected = JSON.parse(readFileSync(fixture.expected, 'utf8')) as Expected
    const isEncrypted = fixture.name.startsWith('encrypted')
    it(`${fixture.name} reads as recorded`, async () => {
      const lake = await Lake.open({ catalog: fixture.catalog, openStore })
      try {
        expect(lake.format).toBe(expected.ducklake)
        const infos = await lake.snapshots()
        expect(infos.map(({ id }) => id)).toEqual(expected.snapshots.map((s) => s.snapshot_id))
        for (const want of expected.snapshots) {
          const snapshot = await lake.snapshot({ version: want.snapshot_id })
          expect(snapshot.info).toMatchObject({
            schemaVersion: want.schema_version,
            changes: want.changes_made,
            author: want.author ?? undefined,
            message: want.commit_message ?? undefined,
            extraInfo: want.commit_extra_info ?? undefined,
          })
          const tables = await snapshot.tables()
          expect(tables.map(({ name }) => name).sort()).toEqual(Object.keys(want.tables).sort())
          if (want.schemas) expect(snapshot.schemas().map(({ name }) => name)).toEqual([...want.schemas].sort())
          if (isEncrypted) continue
          for (const [name, view] of Object.entries(want.views ?? {})) {
            const sql = `SELECT * FROM ${name
              .split('.')
              .map((part) => `"${part}"`)
              .join('.')}`
            const rows = await recordedRows(await queryLake(lake, snapshot, sql))
            expect(sorted(rows), `${fixture.name} ${name}`).toEqual(sorted(view.rows!))
          }
          for (const [name, rows] of Object.entries(want.tables)) {
            const table = await snapshot.table(name)
            const at = `${fixture.name} ${name} at ${want.snapshot_id}`
            expect(table.id, at).toBe(rows.table_id)
            expect(
              table.columns.map((c) => c.name),
              at,
            ).toEqual(rows.columns.map(([column]) => column))
            const scan = lake.scan(snapshot, table, { form: 'text', rowIds: true })
            const got = await recordedRows(await scan.open())
            expect(await scan.count(), at).toBe(rows.count)
            const ids = got.map((row) => row.pop())
            if (rows.rows_sha256) expect(rowsHash(got), at).toBe(rows.rows_sha256)
            else if (rows.rowids) {
              expect(sorted(got.map((row, i) => [row, ids[i]])), at).toEqual(
                sorted(rows.rows!.map((row, i) => [row, rows.rowids![i]])),
              )
            } else expect(sorted(got), at).toEqual(sorted(rows.rows!))
          }
        }
      } finally {
        await lake.close()
      }
    })

    if (isEncrypted || expected.changes === undefined) continue // nothing to compare with
    it(`${fixture.name} changes as recorded`, async () => {
      const lake = await Lake.open({ catalog: fixture.catalog, openStore, dataPath: fixture.dataPath })
      try {
        const [from, to] = [expected.snapshots[0]!.snapshot_id, expected.snapshots.at(-1)!.snapshot_id]
        for (const [name, want] of Object.entries(expected.changes ?? {})) {
          if (want.rows === undefined || MISCOUNTED.has(`${fixture.name} ${name}`)) continue
          const changes = await lake.changes(name, { from, to, form: 'text' })
          const got = await recordedRows(await changes.open())
          const shaped = got.map(([snapshot, rowId, change, ...values]) => [snapshot, rowId, change, values])
          expect(sorted(shaped), `${fixture.name} ${name}`).toEqual(sorted(want.rows))
        }
      } finally {
        await lake.close()
      }
    })
  }
})
