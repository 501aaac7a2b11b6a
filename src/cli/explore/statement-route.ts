/**
 * `POST /api/sql` with `{ "sql": … }`: one statement over the tables that are served, its first rows as texts.
 *
 * Only the server's own page knows the token it asks for. Statements that would change a table are refused.
 */
import { Hono } from 'hono'
import { deltaError } from '../../errors/index.ts'
import type { SqlSession, Statement } from '../../sql/index.ts'
import { answerRows, type RowsAnswer } from './answer-rows.ts'
import { failureOf } from './failure.ts'

export type RunStatement = (sql: string, signal: AbortSignal) => Promise<RowsAnswer>

const MAX_ROWS = 1000
const MAX_SQL_BYTES = 100_000
const READING: ReadonlySet<Statement['kind']> = new Set([
  'query',
  'explain',
  'describe table',
  'describe detail',
  'describe history',
  'describe query',
  'show tables',
  'show properties',
  'show columns',
  'show partitions',
  'show create table',
])

export function statementRoute(run: RunStatement, token: string): Hono {
  const app = new Hono()
  app.post('/', async (context) => {
    if (context.req.header('x-bayou-token') !== token) return context.text('the token of the page is missing', 403)
    const sql = readSql(await context.req.text())
    if (sql === undefined) return context.text('the body is { "sql": "…" }', 400)
    try {
      return context.json(await run(sql, context.req.raw.signal))
    } catch (error) {
      return context.json({ failure: failureOf(error) })
    }
  })
  return app
}

function readSql(body: string): string | undefined {
  if (body.length > MAX_SQL_BYTES) return undefined
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && 'sql' in value && typeof value.sql === 'string'
      ? value.sql
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Runs statements of the page in a session.
 *
 * @throws DeltaError `LAKE_USAGE` for a statement that changes something, and what `SqlSession.run` throws
 */
export function readingStatements(session: SqlSession): RunStatement {
  return async (sql, signal) => {
    const { kind } = await session.check(sql)
    if (!READING.has(kind)) {
      throw deltaError('LAKE_USAGE', {
        problem: `the explorer reads tables, and ${kind.toUpperCase()} changes something`,
        advice: 'run it with bayou sql',
      })
    }
    const { schema, batches } = await session.run(sql, { signal })
    return await answerRows(schema, batches, { limit: MAX_ROWS })
  }
}
