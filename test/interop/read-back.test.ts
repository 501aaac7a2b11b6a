/** What we write, Spark and delta-rs read alike. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rowsOf } from '../../src/engine/index.ts'
import { closeTables, DeltaTable } from '../../src/index.ts'
import { recordedText, rowText } from '../conformance/canonical-rows.ts'
import { oracleMissing, type ReadBack, readByDeltaRs, readBySpark } from './oracle.ts'
import { madeTables } from './tables.ts'

/** What delta-rs is known to read otherwise; Spark and the log are the judges. */
const DELTA_RS_DIFFERS: ReadonlyMap<string, string> = new Map([['variants', 'delta-rs does not read variants']])

const missing = oracleMissing()
let folder: string
let spark: Map<string, ReadBack>
let deltaRs: Map<string, ReadBack>
const pathOf = (name: string) => join(folder, name)

beforeAll(async () => {
  if (missing !== undefined) return
  folder = mkdtempSync(join(tmpdir(), 'bayou-interop-'))
  for (const table of madeTables) await table.make(pathOf(table.name))
  const paths = madeTables.map(({ name }) => pathOf(name))
  spark = readBySpark(paths)
  deltaRs = readByDeltaRs(paths)
})
afterAll(async () => {
  await closeTables()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

async function ownRows(name: string): Promise<{ texts: string[]; text: (row: unknown) => string }> {
  const { schema, batches } = await (await DeltaTable.forPath(pathOf(name))).scan().open()
  const texts: string[] = []
  for await (const batch of batches()) for (const row of rowsOf(batch)) texts.push(rowText(row, schema))
  return { texts: texts.sort(), text: (row) => recordedText(row, schema) }
}

describe.each(madeTables.map(({ name }) => name))('the table %s', (name) => {
  const compare = async (found: ReadBack | undefined) => {
    const { texts, text } = await ownRows(name)
    expect(found?.rows?.map(text).sort(), JSON.stringify(found).slice(0, 500)).toEqual(texts)
  }

  test('is read alike by Spark', async (context) => {
    if (missing !== undefined) return context.skip(missing)
    await compare(spark.get(pathOf(name)))
  })

  test('is read alike by delta-rs', async (context) => {
    const reason = missing ?? DELTA_RS_DIFFERS.get(name)
    if (reason !== undefined) return context.skip(reason)
    await compare(deltaRs.get(pathOf(name)))
  })
})
