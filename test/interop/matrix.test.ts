/**
 * The matrix of features and operations: a table of each pair is written here, read by Spark and delta-rs, changed further by
 * Spark, and read here again.
 *
 * `BAYOU_MATRIX=full` goes through every pair, which takes hours; a number N takes every N-th of the choices in which any
 * two values meet, the seventh when not told. The counts are printed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeTables, DeltaTable } from '../../src/index.ts'
import { pairwise } from '../support/pairwise.ts'
import { buildTable, featureAxis, layoutAxis, logAxis } from '../support/table-axes.ts'
import { firstRows, operationsOf, rowTexts, secondRows, tableOperations } from '../support/table-operations.ts'
import { oracleMissing, type ReadBack, readByDeltaRs, runOnSpark, type SparkAnswer } from './oracle.ts'

const keysOf = <T extends object>(axis: T) => Object.keys(axis) as (keyof T)[]
const axes = {
  operation: operationsOf(true),
  features: keysOf(featureAxis),
  layout: keysOf(layoutAxis),
  log: keysOf(logAxis),
}
type Choice = { readonly [K in keyof typeof axes]: (typeof axes)[K][number] }

/** Every feature with every operation; layouts and logs take turns. */
function everyPair(): Choice[] {
  const { operation, features, layout, log } = axes
  const pairs = features.flatMap((feature) => operation.map((name) => ({ features: feature, operation: name })))
  return pairs.map((pair, i) => ({ ...pair, layout: layout[i % layout.length]!, log: log[(i >> 1) % log.length]! }))
}

const isFull = process.env.BAYOU_MATRIX === 'full'
const step = Number(process.env.BAYOU_MATRIX) || 7
const choices = (isFull ? everyPair() : pairwise(axes).filter((_, i) => i % step === 0))
  .map((choice) =>
    operationsOf(false).includes(choice.operation) ? choice : { ...choice, layout: 'partitioned' as const },
  )
  .map((choice, i) => ({
    ...choice,
    name: `${choice.features}-${choice.operation}-${choice.layout}-${choice.log}-${i}`,
  }))

const missing = oracleMissing()
/** What Spark does to each table after us. */
const STEPS = ['read', 'detail', 'history', 'update', 'merge', 'optimize', 'vacuum', 'after'] as const
type Answers = Record<(typeof STEPS)[number], SparkAnswer>

let folder: string
const own = new Map<string, { readonly rows: string[]; readonly version: number; readonly operations: string[] }>()
const spark = new Map<string, Answers>()
let deltaRs: Map<string, ReadBack>
const tally = new Map<string, { held: number; tried: number }>()
const pathOf = (name: string) => join(folder, name)

function count(what: string, held: boolean): void {
  const known = tally.get(what) ?? { held: 0, tried: 0 }
  tally.set(what, { held: known.held + (held ? 1 : 0), tried: known.tried + 1 })
}

function statementsOf(name: string): Record<(typeof STEPS)[number], string> {
  const table = `delta.\`${pathOf(name)}\``
  const source = "(SELECT 3L AS id, 5L AS v, 'a' AS p UNION ALL SELECT 900L, 6L, 'new p') s"
  return {
    read: `SELECT id, v, p FROM ${table}`,
    detail: `DESCRIBE DETAIL ${table}`,
    history: `DESCRIBE HISTORY ${table}`,
    update: `UPDATE ${table} SET v = v + 7 WHERE id % 3 = 0`,
    merge: `MERGE INTO ${table} t USING ${source} ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, s.v, s.p)`,
    optimize: `OPTIMIZE ${table}`,
    vacuum: `VACUUM ${table}`,
    after: `SELECT id, v, p FROM ${table}`,
  }
}

async function makeTable({ name, ...choice }: (typeof choices)[number]): Promise<void> {
  const table = await buildTable(DeltaTable, pathOf(name), choice, [firstRows, secondRows])
  await tableOperations[choice.operation].run(table)
  const rows = rowTexts(await table.rows())
  expect(rows).toEqual(rowTexts(tableOperations[choice.operation].rows([...firstRows, ...secondRows])))
  const operations = (await table.history()).map(({ operation }) => String(operation))
  own.set(name, { rows, version: await table.version(), operations })
}

beforeAll(async () => {
  if (missing !== undefined) return
  folder = mkdtempSync(join(tmpdir(), 'bayou-matrix-'))
  for (const choice of choices) await makeTable(choice)
  deltaRs = readByDeltaRs(choices.map(({ name }) => pathOf(name)))
  const asked = choices.map(({ name }) => Object.values(statementsOf(name)))
  const answers = runOnSpark(asked.flat())
  for (const [i, { name }] of choices.entries()) {
    const mine = answers.slice(i * STEPS.length, (i + 1) * STEPS.length)
    spark.set(name, Object.fromEntries(STEPS.map((step, at) => [step, mine[at]!])) as Answers)
  }
}, 3_600_000)

afterAll(async () => {
  await closeTables()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  for (const [what, { held, tried }] of tally) console.log(`${what}: ${held} of ${tried} tables`)
})

describe(`${choices.length} tables of features x operations`, () => {
  for (const { name } of choices)
    test(name, async (context) => {
      if (missing !== undefined) return context.skip(missing)
      const { rows, operations } = own.get(name)!
      const answers = spark.get(name)!
      count('read alike by Spark', JSON.stringify(rowTexts(answers.read.rows ?? [])) === JSON.stringify(rows))
      expect(rowTexts(answers.read.rows ?? []), JSON.stringify(answers.read.error)).toEqual(rows)
      expect(answers.history.rows?.slice(-operations.length).map(({ operation }) => operation)).toEqual(operations)
      const found = deltaRs.get(pathOf(name))
      const isReadable = found?.rows !== undefined
      count('read by delta-rs', isReadable)
      if (isReadable) expect(rowTexts(found.rows as never[])).toEqual(rows)
      for (const step of ['update', 'merge', 'optimize', 'vacuum'] as const) {
        count(`${step} by Spark afterwards`, answers[step].error === undefined)
        expect(answers[step].error, step).toBeUndefined()
      }
      const table = await DeltaTable.forPath(pathOf(name))
      const after = rowTexts(answers.after.rows ?? [])
      const ours = rowTexts(await table.rows())
      count('read here after Spark', JSON.stringify(ours) === JSON.stringify(after))
      expect(ours).toEqual(after)
    })
})
