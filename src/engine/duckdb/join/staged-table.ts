/** Rows staged in a temporary table: what their keys are, and the join of them with a table. */
import { isDeltaError } from '../../../errors/index.ts'
import type { BoundExpression } from '../../../expressions/index.ts'
import { compareValues } from '../../../kernel/index.ts'
import { type DataType, longType, type Row, type StructType, structType, type Value } from '../../../schema/index.ts'
import {
  type EngineOptions,
  type JoinedRows,
  type JoinPlan,
  type KeySummary,
  MAX_LISTED_KEYS,
  rowsOf,
  type StagedRows,
  stageRows,
} from '../../index.ts'
import { expressionError } from '../expressions/index.ts'
import type { QueryOptions } from '../instance.ts'
import { ChunkBatch } from '../scan/chunk-batch.ts'
import { readVector } from '../values/read-vector.ts'
import { joinTable } from './join-table.ts'
import { type JointColumns, jointSql } from './joint-columns.ts'
import { rowAccess, STAGED, type Staging } from './staging.ts'

/** Rows looked at before all are, to see whether a key has few values. */
const FIRST_ROWS = 20_000

const NO_COLUMNS = structType([])

export class StagedTable implements StagedRows {
  readonly schema: StructType
  readonly numRows: number
  private readonly staging: Staging

  constructor(staging: Staging) {
    this.staging = staging
    this.schema = staging.schema
    this.numRows = staging.numRows
  }

  async summarize(
    keys: readonly BoundExpression[],
    where: BoundExpression | undefined,
    { signal }: EngineOptions = {},
  ): Promise<readonly (KeySummary | undefined)[]> {
    const columns = { target: NO_COLUMNS, source: this.schema, targetRelation: undefined, sourceRelation: STAGED }
    const options = { signal, what: 'the look at the source' }
    const summaries: (KeySummary | undefined)[] = []
    for (const key of keys) summaries.push(await this.summary(key, where, columns, options))
    return summaries
  }

  async join(plan: JoinPlan, call: EngineOptions = {}): Promise<JoinedRows> {
    try {
      return await joinTable(this.staging, plan, call)
    } catch (error) {
      if (!isDeltaError(error, 'LAKE_EXPRESSION_NOT_COMPILED')) throw error
      const rows = await stageRows(rowAccess(this.staging.database), this.schema, this.rows(call))
      return await rows.join(plan, call)
    }
  }

  async close(): Promise<void> {
    this.staging.session.release()
  }

  private async summary(
    key: BoundExpression,
    where: BoundExpression | undefined,
    columns: JointColumns,
    options: QueryOptions,
  ): Promise<KeySummary | undefined> {
    try {
      const condition = where === undefined ? '' : `WHERE ${jointSql(where, columns)}`
      const keys = `SELECT ${jointSql(key, columns)} AS k FROM ${STAGED} ${condition}`
      return await this.summaryOf(keys, key.type as DataType, options)
    } catch (error) {
      // a key that cannot be evaluated says nothing here; the join tells whether it matters
      const named = expressionError(error)
      if (isDeltaError(named) && named.code !== 'LAKE_CANCELLED') return undefined
      throw named
    }
  }

  /** @param keys a query with the column `k` */
  private async summaryOf(keys: string, type: DataType, options: QueryOptions): Promise<KeySummary> {
    const most = MAX_LISTED_KEYS + 1
    // many values among the first rows: no need to go through all of them
    const first = `SELECT DISTINCT k FROM (SELECT k FROM (${keys}) LIMIT ${FIRST_ROWS})`
    const isMany = this.numRows > FIRST_ROWS && (await this.values(first, [type], options)).length > most
    const listed = isMany
      ? []
      : await this.values(`SELECT DISTINCT k FROM (${keys}) LIMIT ${most + 1}`, [type], options)
    const values = listed.map(([value]) => value!)
    const known = values.filter((value): value is Exclude<Value, null> => value !== null)
    if (!isMany && known.length < most) {
      const sorted = known.sort((a, b) => compareValues(a, b, type) ?? 0)
      const hasNull = known.length < values.length
      return { hasNull, min: sorted[0] ?? null, max: sorted.at(-1) ?? null, values: sorted }
    }
    const bounds = `SELECT min(k), max(k), count(*) - count(k) FROM (${keys})`
    const [row] = await this.values(bounds, [type, type, longType], options)
    return { hasNull: row![2] !== 0n, min: row![0]!, max: row![1]! }
  }

  private async values(sql: string, types: readonly DataType[], options: QueryOptions): Promise<Row[]> {
    const rows: Row[] = []
    for await (const chunk of this.staging.session.stream(sql, options)) {
      const columns = types.map((type, i) => readVector(chunk.getColumnVector(i), type))
      for (let at = 0; at < chunk.rowCount; at++) rows.push(columns.map((column) => column[at]!))
    }
    return rows
  }

  private async *rows({ signal }: EngineOptions): AsyncGenerator<readonly Row[]> {
    const { session } = this.staging
    const outputs = this.schema.fields.map(({ type }, i) => (type.kind === 'void' ? 'NULL::INTEGER' : `s${i}`))
    const sql = `SELECT ${outputs.join(', ')} FROM ${STAGED} ORDER BY rowid`
    for await (const chunk of session.stream(sql, { signal, what: 'the join' })) {
      yield [...rowsOf(new ChunkBatch(chunk, this.schema))]
    }
  }
}
