/** The rows of a join in a temporary table: counted, located, drawn into files. */
import type { RowSet } from '../../../kernel/index.ts'
import { integerType, longType, type Value } from '../../../schema/index.ts'
import type {
  EngineOptions,
  JoinedRows,
  JoinPlan,
  RepeatedMatches,
  RowDraw,
  TouchedFile,
  WritePlan,
  WriteResult,
} from '../../index.ts'
import type { QueryOptions } from '../instance.ts'
import { bitmapRows } from '../scan/find-rows.ts'
import { readVector } from '../values/read-vector.ts'
import { drawRows } from './draw-rows.ts'
import { jointSql } from './joint-columns.ts'
import { ACTED, STAGED, type Staging } from './staging.ts'

/** Pairs shown of a row that several rows act on. */
const EXAMPLES = 3

interface Found {
  readonly counts: ReadonlyMap<number, number>
  readonly repeated: RepeatedMatches | undefined
  readonly rows: ReadonlyMap<number, RowSet>
}

export class JoinedTable implements JoinedRows {
  readonly counts: ReadonlyMap<number, number>
  readonly repeated: RepeatedMatches | undefined
  readonly touched: readonly TouchedFile[]
  private readonly staging: Staging
  private readonly plan: JoinPlan

  private constructor(staging: Staging, plan: JoinPlan, { counts, repeated, rows }: Found) {
    this.staging = staging
    this.plan = plan
    this.counts = counts
    this.repeated = repeated
    this.touched = plan.files.flatMap((file, i) => {
      const own = rows.get(i)
      return own === undefined ? [] : [{ file, rows: own }]
    })
  }

  /** Looks through the rows that the join of a session found. */
  static async open(staging: Staging, plan: JoinPlan, options: QueryOptions): Promise<JoinedTable> {
    const places = `SELECT f AS file_at, r AS row_at FROM ${ACTED} WHERE r IS NOT NULL`
    const rows = await bitmapRows(staging.session, places, options)
    const { counts, numPlaced } = await countActions(staging, options)
    const numTouched = [...rows.values()].reduce((sum, { size }) => sum + size, 0)
    if (numPlaced === numTouched) return new JoinedTable(staging, plan, { counts, repeated: undefined, rows })
    const repeated = await settleRepeated(staging, plan, options)
    const settled = repeated === undefined ? await countActions(staging, options) : { counts }
    return new JoinedTable(staging, plan, { counts: settled.counts, repeated, rows })
  }

  async write(draws: readonly RowDraw[], write: WritePlan, call: EngineOptions = {}): Promise<WriteResult> {
    const { staging, plan, touched } = this
    const numTouched = touched.reduce((sum, { rows }) => sum + rows.size, 0)
    const numActed = draws.reduce(
      (sum, draw) => sum + (draw.kind === 'acted' ? (this.counts.get(draw.action) ?? 0) : 0),
      0,
    )
    return await drawRows({ staging, plan, numTouched, draws, write, numActed }, call)
  }
}

/** Rows of the table that several rows act on: told of, or acted on once. */
async function settleRepeated(
  staging: Staging,
  plan: JoinPlan,
  options: QueryOptions,
): Promise<RepeatedMatches | undefined> {
  const { session } = staging
  if (plan.keepsFirst) {
    await session.run(
      `CREATE OR REPLACE TEMP TABLE ${ACTED} AS
        SELECT * FROM ${ACTED} QUALIFY r IS NULL OR row_number() OVER (PARTITION BY f, r ORDER BY s) = 1`,
      options,
    )
    return undefined
  }
  const many = `SELECT f, r FROM ${ACTED} WHERE r IS NOT NULL GROUP BY f, r HAVING count(*) > 1`
  const [[count]] = (await session.query(`SELECT count(*)::BIGINT FROM (${many})`, options)) as [[bigint]]
  return { count: Number(count), examples: await exampleRows(staging, plan, many, options) }
}

async function exampleRows(
  { session, schema }: Staging,
  plan: JoinPlan,
  many: string,
  options: QueryOptions,
): Promise<readonly (readonly Value[])[]> {
  const columns = { target: plan.layout.schema, source: schema, targetRelation: 'p', sourceRelation: 's' }
  const outputs = ['1', ...plan.shown.map((shown) => jointSql(shown, columns))]
  const sql = `SELECT ${outputs.join(', ')} FROM ${ACTED} p JOIN ${STAGED} s ON s.rowid = p.s
    JOIN (${many} ORDER BY f, r LIMIT 1) m ON p.f = m.f AND p.r = m.r ORDER BY p.s LIMIT ${EXAMPLES}`
  const examples: Value[][] = []
  for await (const chunk of session.stream(sql, options)) {
    const values = plan.shown.map(({ type }, i) => readVector(chunk.getColumnVector(i + 1), type as typeof longType))
    for (let at = 0; at < chunk.rowCount; at++) examples.push(values.map((column) => column[at]!))
  }
  return examples
}

interface ActionCounts {
  readonly counts: ReadonlyMap<number, number>
  /** acted rows that have a place in the table, as often as they are acted on */
  readonly numPlaced: number
}

async function countActions({ session }: Staging, options: QueryOptions): Promise<ActionCounts> {
  const counts = new Map<number, number>()
  let numPlaced = 0
  const sql = `SELECT a, count(*)::BIGINT, count(r)::BIGINT FROM ${ACTED} GROUP BY a`
  for await (const chunk of session.stream(sql, options)) {
    const actions = readVector(chunk.getColumnVector(0), integerType) as number[]
    const [numbers, placed] = [1, 2].map((i) => readVector(chunk.getColumnVector(i), longType) as bigint[])
    for (const [i, action] of actions.entries()) {
      counts.set(action, Number(numbers![i]!))
      numPlaced += Number(placed![i]!)
    }
  }
  return { counts, numPlaced }
}
