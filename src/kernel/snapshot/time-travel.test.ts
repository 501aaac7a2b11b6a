import { describe, expect, it } from 'vitest'
import { isDeltaError } from '../../errors/index.ts'
import { memoryStore, type ObjectStore } from '../../storage/index.ts'
import type { JsonObject } from '../../support/index.ts'
import { commitKey } from '../paths/index.ts'
import { history } from './history.ts'
import { loadSnapshot } from './load.ts'
import { add, jsonLogEngine, lines, METADATA, metadata, PROTOCOL } from './test-log.ts'
import { listVersions, type VersionAtOptions, versionAtTimestamp } from './time-travel.ts'

/** What version 0 says beside its protocol, unless a test says otherwise. */
const plain = (version: number): JsonObject[] => (version === 0 ? [METADATA] : [])

/** A log whose commit files have the given modification times. */
async function logAt(timesMs: readonly number[], extra: (version: number) => JsonObject[] = plain) {
  let now = 0
  const store = memoryStore({ clock: { now: () => now } })
  for (const [version, timeMs] of timesMs.entries()) {
    now = timeMs
    const first = version === 0 ? [PROTOCOL] : []
    await store.put(commitKey(version), lines([...first, ...extra(version), add(`f${version}`)]))
  }
  return store
}

/** In-commit timestamps 1000 × version, enabled at a version. */
function inCommitFrom(enablement: number): (version: number) => JsonObject[] {
  const configuration: Record<string, string> = { 'delta.enableInCommitTimestamps': 'true' }
  if (enablement > 0) {
    configuration['delta.inCommitTimestampEnablementVersion'] = String(enablement)
    configuration['delta.inCommitTimestampEnablementTimestamp'] = String(1000 * enablement)
  }
  return (version) => {
    const info = { commitInfo: { operation: 'WRITE', inCommitTimestamp: 1000 * version } }
    if (version < enablement) return [...plain(version), { commitInfo: { operation: 'WRITE' } }]
    return version === enablement ? [metadata({ configuration }), info] : [info]
  }
}

const at = (store: ObjectStore, timeMs: number, options?: VersionAtOptions) =>
  versionAtTimestamp(store, jsonLogEngine, timeMs, options).catch((error: unknown) =>
    isDeltaError(error) ? `${error.code}: ${error.message}` : String(error),
  )

describe('versions by time', () => {
  it('are the newest committed at or before it', async () => {
    const store = await logAt([1000, 2000, 3000])
    expect(await at(store, 1000)).toBe(0)
    expect(await at(store, 2999)).toBe(1)
    expect(await at(store, 3000)).toBe(2)
    expect((await loadSnapshot(store, jsonLogEngine, { timestampMs: 2500 })).version).toBe(1)
  })

  it('name the nearest one when there is none', async () => {
    const store = await logAt([1000, 2000])
    expect(await at(store, 999)).toBe(
      'DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION: the log of memory has nothing as old as 1970-01-01T00:00:00.999; its oldest version is 0 of 1970-01-01T00:00:01',
    )
    expect(await at(store, 2001)).toBe(
      'DELTA_TIMESTAMP_GREATER_THAN_COMMIT: the time 1970-01-01T00:00:02.001 is after the last commit of memory, version 1 of 1970-01-01T00:00:02',
    )
    expect(await at(store, 2001, { afterLast: 'latest' })).toBe(1)
  })

  it('take file times as strictly increasing, and tell of a copied log', async () => {
    const store = await logAt([5000, 5000, 4000, 5001])
    const warnings: string[] = []
    const versions = await listVersions(store, jsonLogEngine, { onWarning: (text) => warnings.push(text) })
    expect(versions.map(({ timestampMs }) => timestampMs)).toEqual([5000, 5001, 5002, 5003])
    expect(versions.map(({ timestampSource }) => timestampSource)).toEqual(['file', 'adjusted', 'adjusted', 'adjusted'])
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('the log was copied')
    expect(await at(store, 5001)).toBe(1)
  })

  it('do not begin before the oldest version that can be rebuilt', async () => {
    const store = await logAt([1000, 2000, 3000, 4000])
    await store.put('_delta_log/00000000000000000002.checkpoint.parquet', lines([PROTOCOL, METADATA, add('f')]))
    await store.delete(commitKey(0))
    expect((await listVersions(store, jsonLogEngine)).map(({ version }) => version)).toEqual([2, 3])
    expect(await at(store, 2500)).toMatch(/^DELTA_TIMESTAMP_EARLIER.*its oldest version is 2/)
  })

  it('are the in-commit ones where the table has them from its first version', async () => {
    const store = await logAt([9000, 9000, 9000], inCommitFrom(0))
    expect(await at(store, 1500)).toBe(1)
    const snapshot = await loadSnapshot(store, jsonLogEngine)
    expect(snapshot.timestampMs).toBe(2000)
  })

  it('change from file times to in-commit ones at the enablement', async () => {
    const store = await logAt([100, 200, 300, 9000, 9000], inCommitFrom(3))
    expect(await at(store, 250)).toBe(1)
    expect(await at(store, 2999)).toBe(2)
    expect(await at(store, 3000)).toBe(3)
    expect(await at(store, 4000)).toBe(4)
    const versions = await listVersions(store, jsonLogEngine)
    expect(versions.map(({ timestampMs }) => timestampMs)).toEqual([100, 200, 300, 3000, 4000])
  })
})

describe('history', () => {
  it('is newest first, as many as asked for, with what each commit says', async () => {
    const store = await logAt([1000, 2000, 3000], (version) => [
      ...plain(version),
      { commitInfo: { operation: 'WRITE', operationParameters: { version, flag: true, none: null } } },
    ])
    const entries = await history(store, jsonLogEngine, { limit: 2 })
    expect(entries.map(({ version, timestampMs }) => [version, timestampMs])).toEqual([
      [2, 3000],
      [1, 2000],
    ])
    expect(entries[0]?.commitInfo?.operationParameters).toEqual({ version: 2, flag: true, none: null })
  })

  it('finds a commitInfo behind other actions and does without one', async () => {
    const store = await logAt([1000])
    const many = Array.from({ length: 2000 }, (_, i) => add(`file-${i}`))
    await store.put(commitKey(1), lines([...many, { commitInfo: { operation: 'LATE' } }]))
    const entries = await history(store, jsonLogEngine)
    expect(entries.map(({ commitInfo }) => commitInfo?.operation)).toEqual(['LATE', undefined])
  })
})
