/**
 * What the reference answers, statement by statement, as the tables of `docs/spark-behaviour.md` tell it: each table of
 * statements is run in one session, in order, and every answer is compared.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, test } from 'vitest'
import { openLocation } from '../../src/catalog/index.ts'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { SqlSession } from '../../src/sql/index.ts'
import { localBackend } from '../../src/table/index.ts'
import { sharedMissing, sharedPath } from '../support/shared.ts'
import { readResult } from './compare-result.ts'
import { differentAnswers } from './different-answers.ts'

interface AskedStatement {
  readonly section: string
  readonly sql: string
  /** `ok`, a code, or rows */
  readonly answer: string
}

/** The tables of statements that are not taken from recorded scripts, section by section. */
function askedStatements(): AskedStatement[] {
  const found: AskedStatement[] = []
  let section = ''
  let isTable = false
  let recorded = false
  for (const line of readFileSync(sharedPath('docs', 'spark-behaviour.md'), 'utf8').split('\n')) {
    const title = /^##+ (.*)/.exec(line)
    if (title !== null) {
      section = title[1]!
      recorded = false
    }
    if (/^From `/.test(line)) recorded = true
    if (line.startsWith('| statement | answer |')) isTable = true
    else if (!line.startsWith('|')) isTable = false
    const row = /^\| `(.*?)` \| (.*) \|$/.exec(line)
    if (isTable && row !== null && !recorded)
      found.push({ section, sql: row[1]!.replaceAll('\\|', '|'), answer: row[2]! })
  }
  return found
}

const missing = sharedMissing('docs', 'spark-behaviour.md')
const engine = duckdbEngine()
const root = mkdtempSync(join(tmpdir(), 'bayou-behaviour-'))
afterAll(async () => {
  await engine.close()
  rmSync(root, { recursive: true, force: true })
})

describe('answers of the reference, statement by statement', () => {
  if (missing !== undefined) return it.skip(missing, () => {})
  const statements = askedStatements()
  const sections = [...new Set(statements.map(({ section }) => section))]
  test.each(sections.map((section, i) => [section, i] as const))('%s', async (section, number) => {
    const place = join(root, String(number))
    const session = openSession()
    const differences: string[] = []
    if (!section.startsWith('6.')) for (const sql of PROBE) await answerOf(session, sql, place)
    for (const { sql, answer } of statements.filter((statement) => statement.section === section)) {
      const ours = await answerOf(session, sql, place)
      if (!isSame(ours, answer)) differences.push(`${sql}\n    ${ours}\n    instead of ${answer.slice(0, 200)}`)
    }
    const unknown = differences.filter((text) => !differentAnswers.some(({ statement }) => text.startsWith(statement)))
    if (unknown.length > 0) expect.fail(unknown.join('\n'))
  })
})

const PROBE = [
  'CREATE TABLE $T (id INT, v STRING, d DATE, de DECIMAL(5,2), st STRUCT<a: INT, b: STRING>, ts TIMESTAMP, t TINYINT) USING delta',
  "INSERT INTO $T (id, v) VALUES (1, 'a')",
]

function openSession(): SqlSession {
  const openStore = async (location: string) => openLocation(location)
  return new SqlSession({ engine, openStore, backend: localBackend({ openStore, engine }), tables: new Map() })
}

async function answerOf(session: SqlSession, text: string, place: string): Promise<string> {
  const path = join(place, 'table')
  const sql = text.replaceAll('$T', `delta.\`${path}\``).replaceAll('$P', path).replaceAll('$W', place)
  try {
    const { rows, columns } = await readResult(await session.run(sql))
    return columns.length === 0 ? 'ok' : `[${rows.join(', ')}]`
  } catch (error) {
    if (isDeltaError(error)) return `\`${error.code}\` (${error.sqlState}) ${error.message}`
    throw error
  }
}

/** Answers of rows are compared where the rows do not hang on the run. */
function isSame(ours: string, theirs: string): boolean {
  const code = /^`([A-Za-z0-9_.]+)`(?: \((\w+|no SQLSTATE)\))?/.exec(theirs)
  if (code === null) return !ours.startsWith('`')
  const [, name, state] = code
  const isNamed = /^[A-Z_.]+$/.test(name!) && !name!.startsWith('_LEGACY')
  return isNamed ? ours.startsWith(`\`${name}\` (${state === 'no SQLSTATE' ? '' : state}`) : ours.startsWith('`')
}
