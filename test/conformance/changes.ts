/**
 * The change feed of every recorded table that has one, read through the public interface.
 *
 * Where the reference's answer is recorded the rows are compared with it. At every version the rows before it, without
 * what the feed says was deleted and with what it says was inserted, must be the rows after it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/index.ts'
import { rowsOf } from '../../src/engine/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import type { Row, StructType } from '../../src/schema/index.ts'
import { structType } from '../../src/schema/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { type DeltaTable, deltaTables, localBackend } from '../../src/table/index.ts'
import { sharedPath } from '../support/shared.ts'
import { adaptedCopy, isAdapted } from './adapted-tables.ts'
import { rowText } from './canonical-rows.ts'
import type { RecordedTable } from './recorded-tables.ts'

interface RecordedChanges {
  readonly startingVersion: number
  readonly endingVersion: number
  readonly rows?: readonly Readonly<Record<string, unknown>>[]
  readonly error?: { readonly class: string }
}

const FEED = ['_change_type', '_commit_version', '_commit_timestamp']

export function changesConformance(title: string, tables: readonly RecordedTable[], engine: Engine): void {
  const withFeed = tables.filter(({ versions }) =>
    [...versions.values()].some(({ properties }) => properties?.['delta.enableChangeDataFeed'] === 'true'),
  )
  describe(`changes of ${title} by ${engine.name}`, () => {
    const below = mkdtempSync(join(tmpdir(), 'bayou-changes-'))
    const backend = localBackend({ openStore: async (folder) => localStore(folder), engine })
    const open = (table: RecordedTable) =>
      deltaTables(() => backend).forPath(isAdapted(table) ? adaptedCopy(table, below) : table.folder)
    afterAll(async () => {
      await backend.close()
      rmSync(below, { recursive: true })
    })
    it('there are tables with a feed', () => expect(withFeed.length).toBeGreaterThan(0))
    for (const recorded of withFeed) {
      const ranges = recordedChanges(recorded)
      if (ranges.length > 0) {
        it(`${recorded.name}: as recorded`, async () => {
          const table = await open(recorded)
          for (const range of ranges) expect(await readRange(table, range)).toEqual(expectedOf(range))
        })
      }
      it(`${recorded.name}: lead from each version to the next`, async () => {
        const table = await open(recorded)
        const faults: string[] = []
        const rows = new VersionRows(table)
        for (const version of [...recorded.versions.keys()].filter((v) => recorded.versions.has(v - 1))) {
          faults.push(...(await stepFaults(table, rows, version)))
        }
        const parting = PARTING.get(recorded.name)?.versions ?? []
        expect(
          [...new Set(faults.map((fault) => Number(/^version (\d+)/.exec(fault)?.[1])))],
          faults.join('\n'),
        ).toEqual(parting)
      })
    }
  })
}

function recordedChanges({ name }: RecordedTable): readonly RecordedChanges[] {
  try {
    const file = readFileSync(sharedPath('tables-spark', name, 'expected.json'), 'utf8')
    return (JSON.parse(file) as { changes?: RecordedChanges[] }).changes ?? []
  } catch {
    return []
  }
}

function expectedOf({ rows, error }: RecordedChanges) {
  return error === undefined ? { rows: (rows ?? []).map((row) => sortedMembers(row)).sort() } : { error: error.class }
}

/** The recording leaves the commit time out; it is held against the history of the table. */
async function readRange(table: DeltaTable, { startingVersion: from, endingVersion: to }: RecordedChanges) {
  try {
    const { schema, batches } = await table.changes({ from, to }).open()
    const shown = structType(schema.fields.filter(({ name }) => name !== '_commit_timestamp'))
    const times = new Map((await table.history()).map(({ version, timestamp }) => [version, timestamp]))
    const rows: string[] = []
    for await (const batch of batches()) {
      for (const row of rowsOf(batch)) {
        const timestamp = `${new Date(Number(row.at(-1) as bigint) / 1000).toISOString()}`
        expect(Date.parse(timestamp)).toBe(Date.parse(String(times.get(Number(row.at(-2))))))
        rows.push(sortedMembers(JSON.parse(rowText(row.slice(0, -1), shown))))
      }
    }
    return { rows: rows.sort() }
  } catch (error) {
    if (isDeltaError(error)) return { error: error.code }
    throw error
  }
}

function sortedMembers(row: object): string {
  return JSON.stringify(Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** Versions at which the feed and the rows part, by table. */
const PARTING: ReadonlyMap<string, { readonly versions: readonly number[]; readonly why: string }> = new Map([
  ['delta-kernel-rs/cdf-table-simple', { versions: [2], why: 'its change files were added by hand' }],
  ['delta-kernel-rs/cdf-table-update-ops', { versions: [1, 2], why: 'its change files were added by hand' }],
  ['delta-kernel-rs/cdf-table-with-dv', { versions: [5, 6], why: 'the vector of version 5 is broken' }],
])

/** Versions whose feed is off, or whose rows cannot be read whole, say nothing. */
const SILENT = /^(DELTA_MISSING_CHANGE_DATA|DELTA_VERSIONS_NOT_CONTIGUOUS|FAILED_READ_FILE\.FILE_NOT_EXIST)/

/** The rows of versions one after another; those of a version are read once for the step to it and the one from it. */
class VersionRows {
  private readonly table: DeltaTable
  private last: { readonly key: string; readonly texts: readonly string[] } | undefined

  constructor(table: DeltaTable) {
    this.table = table
  }

  async schema(version: number): Promise<StructType> {
    return (await this.table.versionAsOf(version).scan().open()).schema
  }

  async texts(version: number, columns: readonly string[]): Promise<readonly string[]> {
    const key = JSON.stringify([version, columns])
    if (this.last?.key === key) return this.last.texts
    const { batches } = await this.table.versionAsOf(version).scan().open()
    const texts: string[] = []
    for await (const batch of batches()) texts.push(...batchTexts(batch, columns))
    this.last = { key, texts }
    return texts
  }
}

async function stepFaults(table: DeltaTable, versions: VersionRows, version: number): Promise<string[]> {
  try {
    const changes = await table.changes({ from: version, to: version }).open()
    const [before, after] = [await versions.schema(version - 1), await versions.schema(version)]
    const columns = commonColumns([changes.schema, before, after])
    const rows = new Bag()
    for (const text of await versions.texts(version - 1, columns)) rows.add(text, 1)
    const kind = changes.schema.fields.length - FEED.length
    for await (const batch of changes.batches()) {
      const kinds = batch.column(kind)
      const texts = [...batchTexts(batch, columns)]
      for (const [i, text] of texts.entries()) {
        rows.add(text, kinds[i] === 'insert' || kinds[i] === 'update_postimage' ? 1 : -1)
      }
    }
    for (const text of await versions.texts(version, columns)) rows.add(text, -1)
    return rows.left().map(([text, count]) => `version ${version}: ${count} of ${text}`)
  } catch (error) {
    if (isDeltaError(error) && SILENT.test(error.code)) return []
    if (isDeltaError(error)) return [`version ${version}: ${error.code}: ${error.message}`]
    throw error
  }
}

function commonColumns(schemas: readonly StructType[]): readonly string[] {
  const [first, ...others] = schemas
  return first!.fields
    .filter((f) => others.every(({ fields }) => fields.some((o) => o.name === f.name && o.type.kind === f.type.kind)))
    .map(({ name }) => name)
}

function* batchTexts(batch: Parameters<typeof rowsOf>[0], columns: readonly string[]): Generator<string> {
  const ordinals = columns.map((name) => batch.schema.fields.findIndex((f) => f.name === name))
  const schema = structType(ordinals.map((i) => batch.schema.fields[i]!))
  for (const row of rowsOf(batch)) {
    const values: Row = ordinals.map((i) => row[i]!)
    yield rowText(values, schema)
  }
}

/** Rows with how often each is there. */
class Bag {
  private readonly counts = new Map<string, number>()

  add(text: string, count: number): void {
    this.counts.set(text, (this.counts.get(text) ?? 0) + count)
  }

  left(): [string, number][] {
    return [...this.counts].filter(([, count]) => count !== 0)
  }
}
