/** A playground after hundreds of random calls, unpacked from its zip: Spark reads the same rows at every version. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { unzipTable, zipTable } from '../../explorer/src/play/zip.ts'
import { COMMON_COLUMNS, runRandomCalls } from '../support/random-calls.ts'
import { oracleMissing, runOnSpark } from './oracle.ts'

const CALLS = Number(process.env.BAYOU_CALLS ?? 500)
/** versions that one statement reads */
const TOGETHER = 20

const folder = mkdtempSync(join(tmpdir(), 'bayou-playground-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// Spark reads each version anew: hundreds of them take a quarter of an hour on a busy machine
test(`${CALLS} random calls are read alike by Spark at every version`, { timeout: 3_600_000 }, async (context) => {
  const missing = oracleMissing()
  if (missing !== undefined) return context.skip(missing)
  const { play, rowsAt } = await runRandomCalls(Number(process.env.BAYOU_SEED ?? 7), CALLS)
  for (const { key, bytes } of unzipTable(zipTable(play.store.objects()))) {
    const file = join(folder, 'orders', key)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
  }
  const versions = [...rowsAt.keys()]
  const groups = Array.from({ length: Math.ceil(versions.length / TOGETHER) }, (_, i) => {
    return versions.slice(i * TOGETHER, (i + 1) * TOGETHER)
  })
  const text = COMMON_COLUMNS.map((name) => `coalesce(cast(${name} as string), 'null')`).join(", '|', ")
  const answers = runOnSpark(
    groups.map((group) =>
      group
        .map(
          (version) =>
            `SELECT ${version} AS v, concat(${text}) AS r FROM delta.\`${join(folder, 'orders')}\` VERSION AS OF ${version}`,
        )
        .join(' UNION ALL '),
    ),
  )
  const read = new Map<number, string[]>(versions.map((version) => [version, []]))
  for (const { rows, error } of answers) {
    expect(error).toBeUndefined()
    for (const { v, r } of rows ?? []) read.get(Number(v))?.push(String(r))
  }
  for (const [version, texts] of rowsAt) expect(read.get(version)?.sort(), `version ${version}`).toEqual(texts)
  console.log(
    `${versions.length} versions, ${[...rowsAt.values()].reduce((sum, rows) => sum + rows.length, 0)} rows read alike`,
  )
})
