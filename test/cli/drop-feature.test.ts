/** `bayou drop-feature` as a person runs it: the plan, the drop, the wait, and what `bayou detail` says of engines. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFolder, runCli } from '../support/run-cli.ts'

const folder = makeFolder()
afterAll(() => folder.remove())
const bayou = (...args: string[]) => runCli(args, { cwd: folder.path })

async function mappedTable(name: string): Promise<void> {
  await bayou('write', name, 'rows.ndjson')
  await bayou('set', name, 'delta.columnMapping.mode=name')
}

beforeAll(() => {
  folder.file('rows.ndjson', '{"id":1}\n{"id":2}\n')
})

describe('drop-feature', () => {
  test('says beforehand what it would do, then does it', async () => {
    await mappedTable('mapped')
    const plan = await bayou('drop-feature', 'mapped', 'columnMapping', '--plan')
    expect(plan.stderr).toBe('')
    expect(plan.stdout).toMatch(/^files to rewrite +1 \(\d+ B\)$/m)
    expect(plan.stdout).toMatch(/^commit 2 +REMOVE COLUMN MAPPING, 1 file written anew \(\d+ B\)$/m)
    expect(plan.stdout).toMatch(/^commit 5 +Empty Commit, with a checkpoint$/m)
    expect(plan.stdout).toMatch(/^commit 6 +DROP FEATURE, with a checkpoint$/m)
    expect(plan.stdout).toMatch(/^wait +none$/m)
    expect(plan.stdout).toMatch(/^protocol then +reader 1, writer 7$/m)
    expect(plan.stdout).toMatch(/^delta-rs 1\.6 +reads, does not write; does not know checkpointProtection$/m)

    const json = JSON.parse((await bayou('drop-feature', 'mapped', 'columnMapping', '--plan', '--json')).stdout)
    expect(json).toMatchObject({
      feature: 'columnMapping',
      truncateHistory: false,
      version: 1,
      numFiles: 1,
      waitUntil: null,
      protocol: { minReaderVersion: 1, minWriterVersion: 7 },
    })
    expect(JSON.parse((await bayou('count', 'mapped', '--json')).stdout)).toBeDefined()

    const dropped = await bayou('drop-feature', 'mapped', 'columnMapping')
    expect(dropped.stdout).toBe('version 6: the table no longer has columnMapping\n')
    expect((await bayou('rows', 'mapped', '--json')).stdout).toBe('{"id":1}\n{"id":2}\n')
  })

  test('with --truncate-history warns of what goes for good, and names the time of the second run', async () => {
    await mappedTable('cut')
    const plan = JSON.parse(
      (await bayou('drop-feature', 'cut', 'columnMapping', '--truncate-history', '--plan', '--json')).stdout,
    )
    expect(plan).toMatchObject({ waitUntil: expect.stringMatching(/^\d{4}-.*:00Z$/), earliestVersion: 0 })
    const first = await bayou('drop-feature', 'cut', 'columnMapping', '--truncate-history')
    expect(first.status).toBe(1)
    expect(first.stderr).toContain('deleted from the history for good')
    expect(first.stderr).toContain('DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD')
    expect(first.stderr).toMatch(/run the same command again after \d{4}-\d\d-\d\dT\d\d:\d\d:00Z/)
    const again = await bayou('drop-feature', 'cut', 'columnMapping', '--truncate-history', '--json')
    expect(again.stderr).toContain('DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST')
  })

  test('is refused where the table has no such feature', async () => {
    const refused = await bayou('drop-feature', 'cut', 'deletionVectors', '--plan')
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('does not have the feature deletionVectors')
  })
})

test('detail tells of each feature who reads and writes it, and from which version on', async () => {
  await bayou('write', 'marked', 'rows.ndjson')
  await bayou('set', 'marked', 'delta.enableDeletionVectors=true', 'delta.enableTypeWidening=true')
  const { stdout } = await bayou('detail', join(folder.path, 'marked'))
  expect(stdout).toMatch(
    /^feature deletionVectors +read since Spark with Delta 2\.3; written since Spark with Delta 2\.4$/m,
  )
  expect(stdout).toMatch(
    /^feature typeWidening +read and written since Spark with Delta 4\.0; not read or written by delta-rs; not written by DuckDB with delta$/m,
  )
  const { featureSupport } = JSON.parse((await bayou('detail', 'marked', '--json')).stdout)
  expect(featureSupport).toContainEqual({
    feature: 'deletionVectors',
    engines: [
      { engine: 'Spark with Delta', reads: '2.3', writes: '2.4' },
      { engine: 'delta-rs', reads: 'always', writes: 'always' },
      { engine: 'DuckDB with delta', reads: 'always', writes: 'always' },
    ],
  })
})
