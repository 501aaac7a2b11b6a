/** Rows staged in a temporary table: what their keys are, and the join of them with a table. */
import { isDeltaError } from '../../../errors/index.ts'
import type { BoundExpression } from '../../../expressions/index.ts'
import { type DataType, longType, type Row, type StructType, structType, type Value } from '../../../schema/index.ts'
import {
  type EngineOptions,
  type JoinedRows,
  type JoinPlan,
  type KeySummary,
  MAX_LISTED_KEYS,
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
      const type = key.type as DataType
      const [known] = await this.values(
        `SELECT min(k), max(k), count(*) - count(k) FROM (${keys})`,
        [type, type, longType],
        options,
      )
      const listed = await this.values(
        `SELECT DISTINCT k FROM (${keys}) WHERE k IS NOT NULL ORDER BY k LIMIT ${MAX_LISTED_KEYS + 1}`,
        [type],
        options,
      )
      const values = listed.map(([value]) => value as Exclude<Value, null>)
      return {
        hasNull: known![2] !== 0n,
        min: known![0]!,
        max: known![1]!,
        ...(values.length <= MAX_LISTED_KEYS && { values }),
      }
    } catch (error) {
      // a key that cannot be evaluated says nothing here; the join tells whether it matters
      const named = expressionError(error)
      if (isDeltaError(named) && named.code !== 'LAKE_CANCELLED') return undefined
      throw named
    }
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
      const batch = new ChunkBatch(chunk, this.schema)
      const columns = this.schema.fields.map((_, i) => batch.column(i))
      yield Array.from({ length: batch.numRows }, (_, at) => columns.map((column) => column[at]!))
    }
  }
}
