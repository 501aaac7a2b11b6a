/**
 * Processes that write to one local table at once: every change stands once, in a version of its own.
 *
 * The sizes are small; `npm run concurrency` runs ten processes of two hundred appends.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { closeTables, DeltaTable } from '../../src/index.ts'
import { runWriters, type WriterReport, type WriterSpec } from './run-writers.ts'

const WRITERS = Number(process.env.BAYOU_WRITERS ?? 3)
const APPENDS = Number(process.env.BAYOU_APPENDS ?? 10)
const UPDATES = Number(process.env.BAYOU_UPDATES ?? 3)
const MERGERS = Number(process.env.BAYOU_MERGERS ?? 2)
const MERGES = Number(process.env.BAYOU_MERGES ?? 3)
const TIMEOUT = { timeout: 1_800_000 }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bayou-writers-'))
})
afterEach(async () => {
  await closeTables()
  await rm(folder, { recursive: true, force: true })
})

const writersOf = (work: WriterSpec['work'], count: number, writers = WRITERS): WriterSpec[] =>
  Array.from({ length: writers }, (_, i) => ({ work, name: `${work}-${i}`, count }))

function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, i) => i + 1)
}

function tell(reports: readonly WriterReport[], seconds: number): void {
  const commits = reports.flatMap(({ versions }) => versions).length
  const sorted = reports.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b)
  const p99 = sorted[Math.floor(sorted.length * 0.99)]
  const conflicts = reports.reduce((sum, report) => sum + report.conflicts, 0)
  console.log(`${commits} commits, ${(commits / seconds).toFixed(1)} a second, p99 ${p99} ms, ${conflicts} conflicts`)
}

test(
  `${WRITERS} processes append ${APPENDS} times each: nothing is lost, nothing doubled, no error`,
  TIMEOUT,
  async () => {
    const path = join(folder, 't')
    const columns = 'writer STRING, step BIGINT, row BIGINT'
    await DeltaTable.create().location(path).addColumns(columns).execute()
    const { reports, seconds } = await runWriters(path, writersOf('append', APPENDS))
    tell(reports, seconds)
    const versions = reports.flatMap((report) => report.versions).sort((a, b) => a - b)
    expect(versions).toEqual(upTo(WRITERS * APPENDS))
    const table = await DeltaTable.forPath(path)
    expect(await table.version()).toBe(WRITERS * APPENDS)
    const rows = await table.rows()
    const seen = new Set(rows.map(({ writer, step, row }) => `${writer} ${step} ${row}`))
    expect([rows.length, seen.size]).toEqual([WRITERS * APPENDS * 10, WRITERS * APPENDS * 10])
  },
)

test(
  'processes that update rows while others append leave what some order of whole changes would',
  TIMEOUT,
  async () => {
    const path = join(folder, 't')
    const updaters = writersOf('update', UPDATES)
    await DeltaTable.write(
      path,
      updaters.map(({ name }) => ({ writer: name, step: 0n, row: 0n })),
    )
    const specs = [...updaters, ...writersOf('append', UPDATES)]
    const { reports, seconds } = await runWriters(path, specs)
    tell(reports, seconds)
    const versions = reports.flatMap((report) => report.versions).sort((a, b) => a - b)
    expect(versions).toEqual(upTo(specs.length * UPDATES))
    const rows = await (await DeltaTable.forPath(path)).rows()
    const counts = rows.filter(({ writer }) => String(writer).startsWith('update-')).map(({ step }) => Number(step))
    expect(counts).toEqual(updaters.map(() => UPDATES))
    expect(rows).toHaveLength(updaters.length + WRITERS * UPDATES * 10)
  },
)

test(
  `${WRITERS} processes append, ${MERGERS} merge and one compacts: every row stands once, every merge counts`,
  TIMEOUT,
  async () => {
    const path = join(folder, 't')
    const mergers = writersOf('merge', MERGES, MERGERS)
    await DeltaTable.write(
      path,
      mergers.map(({ name }) => ({ writer: name, step: 0n, row: 0n })),
      { properties: { 'delta.enableDeletionVectors': 'true' } },
    )
    const specs = [...writersOf('append', APPENDS), ...mergers, ...writersOf('compact', MERGES, 1)]
    const { reports, seconds } = await runWriters(path, specs)
    tell(reports, seconds)
    const table = await DeltaTable.forPath(path)
    const versions = reports.flatMap((report) => report.versions).sort((a, b) => a - b)
    expect(versions).toEqual(upTo((await table.version()) ?? 0))
    expect(versions.length).toBeGreaterThanOrEqual(WRITERS * APPENDS + MERGERS * MERGES)
    const rows = await table.rows()
    const own = rows.filter(({ writer, row }) => String(writer).startsWith('merge-') && Number(row) === 0)
    expect(own.map(({ step }) => Number(step))).toEqual(mergers.map(() => MERGES))
    const expected = WRITERS * APPENDS * 10 + MERGERS * (MERGES + 1)
    expect(rows).toHaveLength(expected)
    expect(new Set(rows.map(({ writer, step, row }) => `${writer} ${step} ${row}`)).size).toBe(expected)
  },
)
