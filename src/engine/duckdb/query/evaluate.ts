/** Bound expressions evaluated by DuckDB over single rows: how the engine answers, for whoever wants to ask it. */
import { isDeltaError } from '../../../errors/index.ts'
import { type BoundExpression, evaluate, isInterval } from '../../../expressions/index.ts'
import { field, type Row, type StructType, structType, type Value } from '../../../schema/index.ts'
import { compileExpression, expressionError } from '../expressions/index.ts'
import { DuckDatabase, type DuckDbOptions, type DuckSession } from '../instance.ts'
import { columnPath } from '../scan/filter.ts'
import { readVector } from '../values/read-vector.ts'
import { LOGICAL, sqlType } from '../values/sql-type.ts'
import { ChunkBuilder } from '../values/write-chunk.ts'

export interface ExpressionEvaluator {
  /**
   * The value of an expression for a row of a schema.
   *
   * What has no SQL form is evaluated in TypeScript, as the engine does in a scan.
   *
   * @throws DeltaError a Spark error class of an expression
   */
  evaluate(bound: BoundExpression, schema: StructType, row: Row): Promise<Value>
  close(): Promise<void>
}

export function duckdbEvaluator(options: DuckDbOptions = {}): ExpressionEvaluator {
  const database = new DuckDatabase(options)
  return {
    evaluate: (bound, schema, row) => database.withSession((session) => evaluateIn(session, { bound, schema, row })),
    close: () => database.close(),
  }
}

interface Question {
  readonly bound: BoundExpression
  readonly schema: StructType
  readonly row: Row
}

async function evaluateIn(session: DuckSession, { bound, schema, row }: Question): Promise<Value> {
  const sql = sqlOf(bound, schema)
  if (sql === undefined || isInterval(bound.type)) return evaluate(bound, row)
  const from = schema.fields.length === 0 ? '' : ' FROM input'
  try {
    if (from !== '') await stageRow(session, schema, row)
    for await (const chunk of session.stream(`SELECT (${sql})${from}`)) {
      if (chunk.rowCount > 0) return readVector(chunk.getColumnVector(0), bound.type)[0] ?? null
    }
    return null
  } catch (error) {
    throw expressionError(error)
  }
}

function sqlOf(bound: BoundExpression, schema: StructType): string | undefined {
  try {
    return compileExpression(bound, (path) => columnPath(path, schema, LOGICAL), { foldConstants: false })
  } catch (error) {
    if (isDeltaError(error, 'LAKE_EXPRESSION_NOT_COMPILED')) return undefined
    throw error
  }
}

async function stageRow(session: DuckSession, schema: StructType, row: Row): Promise<void> {
  const columns = schema.fields.map((f, i) => `c${i} ${sqlType(f.type, LOGICAL)}`)
  await session.run(`CREATE OR REPLACE TEMP TABLE input (${columns.join(', ')})`)
  const named = structType(schema.fields.map((f, i) => field(`c${i}`, f.type)))
  const builder = new ChunkBuilder(await import('@duckdb/node-api'), named, LOGICAL)
  const appender = await session.connection.createAppender('input')
  appender.appendDataChunk(builder.build([row]))
  appender.closeSync()
}
