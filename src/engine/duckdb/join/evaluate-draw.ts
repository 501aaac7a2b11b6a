/**
 * Drawn rows whose expressions SQL does not have: evaluated here some thousand at a time, and laid into a temporary
 * table.
 */
import { compileEvaluator } from '../../../expressions/index.ts'
import { type Row, structType, type Value } from '../../../schema/index.ts'
import { columnOrdinals, type JoinPlan, type RowDraw, type WritePlan } from '../../index.ts'
import type { QueryOptions } from '../instance.ts'
import { ChunkBatch } from '../scan/chunk-batch.ts'
import { LOGICAL, sqlType } from '../values/sql-type.ts'
import { CHUNK_ROWS, ChunkBuilder } from '../values/write-chunk.ts'
import { ACTED, STAGED, type Staging } from './staging.ts'

const PAGE_ROWS = 16 * CHUNK_ROWS

export interface EvaluatedDraw {
  readonly staging: Staging
  readonly plan: JoinPlan
  readonly draw: Extract<RowDraw, { kind: 'acted' }>
  readonly write: WritePlan
  /** of the temporary table that is made; its columns are `d<ordinal>`, structs under logical names */
  readonly table: string
  /** a condition on the acted rows `p`, with AND before it, or nothing */
  readonly range: string
}

/** @throws DeltaError the codes of the expressions */
export async function evaluateDraw(task: EvaluatedDraw, options: QueryOptions): Promise<void> {
  const { staging, write, draw, table } = task
  const { session } = staging
  const { schema } = write.layout
  const columns = schema.fields.flatMap(({ type }, i) =>
    type.kind === 'void' ? [] : [`d${i} ${sqlType(type, LOGICAL)}`],
  )
  await session.run(`CREATE OR REPLACE TEMP TABLE ${table} (${columns.join(', ')})`, options)
  const builder = new ChunkBuilder(await import('@duckdb/node-api'), schema, LOGICAL)
  const evaluators = draw.columns.map(compileEvaluator)
  for await (const joints of jointPages(task, options)) {
    const rows = joints.map((joint) => evaluators.map((evaluate) => evaluate(joint)))
    const appender = await session.connection.createAppender(table)
    for (let at = 0; at < rows.length; at += CHUNK_ROWS) {
      appender.appendDataChunk(builder.build(rows.slice(at, at + CHUNK_ROWS)))
    }
    appender.closeSync()
  }
}

/** Joint rows of the draw's action; columns that no expression reads are null. */
async function* jointPages(
  { staging, plan, draw, range }: EvaluatedDraw,
  options: QueryOptions,
): AsyncGenerator<readonly Row[]> {
  const { session, schema: source } = staging
  const width = plan.layout.schema.fields.length
  const joint = structType([...plan.layout.schema.fields, ...source.fields])
  const isRead = (ordinal: number) => joint.fields[ordinal]!.type.kind !== 'void'
  const ordinals = [...new Set(draw.columns.flatMap(columnOrdinals))].filter(isRead)
  const outputs = ordinals.map((ordinal) => (ordinal < width ? `p.c${ordinal}` : `s.s${ordinal - width}`))
  const given = structType(ordinals.map((ordinal) => joint.fields[ordinal]!))
  const [[count]] = (await session.query(`SELECT count(*)::BIGINT FROM ${ACTED}`, options)) as [[bigint]]
  for (let from = 0; from < count; from += PAGE_ROWS) {
    const page: Row[] = []
    const sql = `SELECT ${[...outputs, '1'].join(', ')} FROM ${ACTED} p LEFT JOIN ${STAGED} s ON s.rowid = p.s
      WHERE p.a = ${draw.action}${range} AND p.rowid BETWEEN ${from} AND ${from + PAGE_ROWS - 1}`
    for await (const chunk of session.stream(sql, options)) {
      const batch = new ChunkBatch(chunk, given)
      const columns = ordinals.map((ordinal, i) => [ordinal, batch.column(i)] as const)
      for (let at = 0; at < batch.numRows; at++) {
        const row = new Array<Value>(joint.fields.length).fill(null)
        for (const [ordinal, column] of columns) row[ordinal] = column[at]!
        page.push(row)
      }
    }
    yield page
  }
}
