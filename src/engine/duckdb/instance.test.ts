import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { collect } from '../../support/index.ts'
import { DuckDatabase } from './instance.ts'

let root: string
let database: DuckDatabase
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'instance-'))
  database = new DuckDatabase({ tempDirectory: root, threads: 2, memoryLimit: '500MB' })
})
afterEach(async () => {
  await database.close()
  rmSync(root, { recursive: true })
})

test('connections opened later live in UTC and load no extension', async () => {
  const rows = await database.withSession((s) =>
    s.query(`SELECT current_setting('TimeZone'), current_setting('autoload_known_extensions'),
      current_setting('autoinstall_known_extensions'), current_setting('memory_limit')`),
  )
  expect(rows).toEqual([['UTC', false, false, '476.8 MiB']])
})

test('an aborted query rejects as cancelled and its connection can be used again', async () => {
  await database.withSession(async (session) => {
    const abort = new AbortController()
    const slow = session.query('SELECT count(*) FROM range(100000000000) a WHERE a.range % 7 = 3', {
      signal: abort.signal,
      what: 'the scan',
    })
    setTimeout(() => abort.abort(), 50)
    await expect(slow).rejects.toMatchObject({ code: 'LAKE_CANCELLED', message: 'the scan was cancelled' })
    expect(await session.query('SELECT 1')).toEqual([[1]])
  })
})

test('a broken instance is replaced for the next connection', async () => {
  await database.withSession(async (session) => {
    const broken = `COPY (SELECT 1::VARIANT AS v) TO '${join(root, 'x.parquet')}' (FORMAT parquet, SHREDDING {v: 'NULL'})`
    await expect(session.run(broken)).rejects.toThrow(/INTERNAL/)
    await expect(session.query('SELECT 1')).rejects.toThrow(/database has been invalidated/)
  })
  expect(await database.withSession((session) => session.query('SELECT 2'))).toEqual([[2]])
})

test('a stream gives every row once', async () => {
  await database.withSession(async (session) => {
    const chunks = await collect(session.stream('SELECT range FROM range(5000)'))
    expect(chunks.reduce((sum, chunk) => sum + chunk.rowCount, 0)).toBe(5000)
    expect(chunks.length).toBeGreaterThan(1)
  })
})

test('the temporary folder is named after the process, swept when its process is gone, removed on close', async () => {
  const host = hostname().replace(/[^A-Za-z0-9.]/g, '_')
  const dead = join(root, `bayou-${host}-999999999-aaaaaaaa`)
  const other = join(root, `bayou-elsewhere-999999999-aaaaaaaa`)
  mkdirSync(dead)
  mkdirSync(other)
  const own = dirname(database.tempFile('.x'))
  expect(own).toContain(`-${process.pid}-`)
  expect(existsSync(dead)).toBe(false)
  expect(existsSync(other)).toBe(true)
  await database.close()
  expect(readdirSync(root)).toEqual(['bayou-elsewhere-999999999-aaaaaaaa'])
})

test('closing ends queries that still run', async () => {
  await database.withSession((s) => s.query('SELECT 1'))
  const slow = database.withSession((s) => s.query('SELECT count(*) FROM range(100000000000) a WHERE a.range % 7 = 3'))
  const outcome = expect(slow).rejects.toMatchObject({ code: 'LAKE_CANCELLED' })
  await new Promise((resolve) => setTimeout(resolve, 300))
  await database.close()
  await outcome
})
