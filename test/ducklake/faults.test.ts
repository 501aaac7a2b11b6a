/** Publishing with one call of the store failing, at every few calls: nothing half-done is seen, and a rerun finishes. */
import { expect, it } from 'vitest'
import { initRepository, lakeSource, publish, Repository, rowsSource, verify } from '../../src/ducklake/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { faulty } from '../../src/storage/index.ts'
import { lakePath, makeRoot, openStore } from './lakes.ts'

const source = lakeSource({ catalog: lakePath('plain', 'catalog.duckdb'), openStore })
/** Every call takes too long for each run of the tests; BAYOU_EVERY_FAULT=1 fails them all. */
const STEP = process.env.BAYOU_EVERY_FAULT === '1' ? 1 : 5

it.each(['before', 'after-effect'] as const)('publish, a call failing %s', async (when) => {
  for (let failCall = 1; ; failCall += STEP) {
    const root = makeRoot()
    try {
      const whole = localStore(root.path)
      await initRepository(whole)
      const store = faulty(whole, { failCall, when })
      const attempt = async () => await publish(await Repository.open(store), { source, openStore })
      const outcome = await attempt().then(
        () => 'published',
        (error: { code?: unknown }) => String(error.code),
      )
      expect(['published', 'LAKE_STORAGE_UNAVAILABLE']).toContain(outcome)
      const repository = await Repository.open(whole)
      expect((await verify(repository, { openStore })).findings).toEqual([])
      await publish(repository, { source, openStore })
      const report = await verify(repository, { openStore, all: true })
      expect([report.findings, report.versions.length]).toEqual([[], 1])
      if (!store.hasFailed()) return
    } finally {
      root.remove()
    }
  }
})

it('rows of a query become a table; the same rows again are no version', async () => {
  const root = makeRoot()
  const repository = await initRepository(localStore(root.path))
  const rows = (count: number) =>
    rowsSource({ sql: `SELECT i AS id, [i] AS l FROM range(${count}) t(i)`, name: ['main', 'q'] })
  const first = await publish(repository, { source: rows(5), openStore })
  expect(first).toMatchObject({ formats: ['1.1', '1.0'], newFiles: 1 })
  expect((await publish(repository, { source: rows(5), openStore })).id).toBeUndefined()
  expect((await publish(repository, { source: rows(6), openStore })).parent).toBe(first.id)
  expect((await verify(repository, { openStore, all: true, rows: true })).findings).toEqual([])
  root.remove()
})
