/** Checkpoints with damaged bytes: an answer or an error with a code, soon. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { LOG_PREFIX, type LogEngine, loadSnapshot, type Snapshot } from '../../src/kernel/index.ts'
import { memoryStore, type ObjectStore } from '../../src/storage/index.ts'
import { sharedMissing, sharedPath } from '../support/shared.ts'

const missing = sharedMissing('tables-spark')
const engine = jsEngine()
const duckdb = duckdbEngine()
afterAll(() => duckdb.close())

/** The log of a recorded table, in memory, its last checkpoint damaged and the commits before it taken away. */
function damagedLog(table: string): (damage: (bytes: Buffer) => void, whole: boolean) => Promise<ObjectStore> {
  const folder = sharedPath('tables-spark', table, 'table', '_delta_log')
  const names = readdirSync(folder).filter((name) => /^\d{20}\.(json|checkpoint.*)$|^_last_checkpoint$/.test(name))
  const checkpoint = names.filter((name) => name.endsWith('checkpoint.parquet')).at(-1)!
  const files = names.map((name) => [name, readFileSync(join(folder, name))] as const)
  return async (damage, whole) => {
    const store = memoryStore()
    for (const [name, bytes] of files) {
      const copy = Buffer.from(bytes)
      if (name === checkpoint) damage(copy)
      if (whole || name >= checkpoint) await store.put(`${LOG_PREFIX}${name}`, copy)
    }
    return store
  }
}

async function outcome(store: ObjectStore, engine: LogEngine): Promise<string> {
  try {
    const snapshot = await loadSnapshot(store, engine)
    let files = 0
    for await (const page of snapshot.files.select()) files += page.length
    return files === (await snapshot.files.totals()).numFiles ? 'an answer' : 'files that do not add up'
  } catch (error) {
    return isDeltaError(error) && error.code !== 'LAKE_INTERNAL' ? 'a code' : String(error)
  }
}

describe('a damaged Parquet checkpoint', () => {
  const test = missing === undefined ? it : (name: string, _: unknown) => it.skip(`${name}: ${missing}`, () => {})

  test('gives an answer or an error with a code', async () => {
    const logOf = damagedLog('ckpt-classic')
    const flips = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(flips, fc.boolean(), async (places, whole) => {
        const damage = (bytes: Buffer) => {
          for (const [at, byte] of places) bytes[at % bytes.length] = byte
        }
        expect(['an answer', 'a code']).toContain(await outcome(await logOf(damage, whole), engine))
      }),
      { numRuns: 150 },
    )
  })

  test('is passed over for the commits before it when it is cut', async () => {
    const logOf = damagedLog('ckpt-classic')
    const sound = await loadSnapshot(await logOf(() => {}, true), engine)
    const warnings: string[] = []
    const cut = await logOf((bytes) => bytes.fill(0, bytes.length >> 1), true)
    const snapshot = await loadSnapshot(cut, engine, { onWarning: (text) => warnings.push(text) })
    expect([snapshot.version, await snapshot.files.totals()]).toEqual([sound.version, await sound.files.totals()])
    expect(warnings.some((text) => text.includes('was passed over'))).toBe(true)
  })

  for (const engine of [jsEngine(), duckdb]) {
    test(`is passed over by ${engine.name} when a page does not have the checksum its writer gave it`, async () => {
      const logOf = damagedLog('ckpt-stats-struct-only')
      const sound = await loadSnapshot(await logOf(() => {}, true), engine)
      const warnings: string[] = []
      // a letter of a path: the page can be read, and names a file that is not there
      const changed = (bytes: Buffer) => bytes.write('wart', bytes.indexOf('part-'), 'latin1')
      const snapshot = await loadSnapshot(await logOf(changed, true), engine, {
        onWarning: (text) => warnings.push(text),
      })
      expect(await pathsOf(snapshot)).toEqual(await pathsOf(sound))
      expect(warnings.some((text) => text.includes('was passed over'))).toBe(true)
      expect(await outcome(await logOf(changed, false), engine)).toBe('a code')
    })
  }
})

async function pathsOf({ files }: Snapshot): Promise<string[]> {
  const paths: string[] = []
  for await (const page of files.select()) paths.push(...page.map((file) => file.path))
  return paths.sort()
}
