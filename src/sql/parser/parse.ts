/** One statement from its text: the first words decide which file reads the rest. */
import { type DeltaError, deltaError } from '../../errors/index.ts'
import type { Statement } from './statement.ts'
import { StatementReader } from './statement-reader.ts'
import { readAlterTable } from './statements/alter-table.ts'
import { readCreateTable } from './statements/create-table.ts'
import { readDelete } from './statements/delete.ts'
import { readDescribe } from './statements/describe.ts'
import { readExplain } from './statements/explain.ts'
import { FOREIGN_BEGINNINGS, readForeign } from './statements/foreign.ts'
import { readInsert } from './statements/insert.ts'
import {
  readCheckpoint,
  readConvert,
  readFsck,
  readGenerate,
  readReorg,
  readRestore,
} from './statements/maintenance.ts'
import { readMerge } from './statements/merge.ts'
import { readComment, readDropTable, readTruncate } from './statements/names.ts'
import { readOptimize } from './statements/optimize.ts'
import { readReset, readSet } from './statements/set.ts'
import { readShow } from './statements/show.ts'
import { readUpdate } from './statements/update.ts'
import { readVacuum } from './statements/vacuum.ts'
import { readWith } from './statements/with.ts'

type Read = (reader: StatementReader) => Statement

/** By first words; the longer list comes before the shorter one it begins with. */
const STATEMENTS: readonly (readonly [string, Read])[] = [
  ['CREATE OR REPLACE TABLE', (reader) => readCreateTable(reader, 'create or replace')],
  ['CREATE TABLE', (reader) => readCreateTable(reader, 'create')],
  ['CREATE EXTERNAL TABLE', (reader) => readCreateTable(reader, 'create')],
  ['REPLACE TABLE', (reader) => readCreateTable(reader, 'replace')],
  ['INSERT', readInsert],
  ['UPDATE', readUpdate],
  ['DELETE', readDelete],
  ['MERGE', readMerge],
  ['ALTER TABLE', readAlterTable],
  ['OPTIMIZE', readOptimize],
  ['VACUUM', readVacuum],
  ['RESTORE', readRestore],
  ['REORG', readReorg],
  ['CONVERT', readConvert],
  ['GENERATE', readGenerate],
  ['FSCK', readFsck],
  ['CHECKPOINT', readCheckpoint],
  ['DESCRIBE', readDescribe],
  ['DESC', readDescribe],
  ['SHOW', readShow],
  ['COMMENT', readComment],
  ['DROP TABLE', readDropTable],
  ['TRUNCATE', readTruncate],
  ['SET', readSet],
  ['RESET', readReset],
]

/**
 * Reads one statement; semicolons may stand at its end.
 *
 * Nothing is looked up and nothing runs. The text of a query is taken as it is: its grammar is the engine's. A statement
 * that Spark has and this package has not is read as `foreign`.
 *
 * @throws DeltaError `PARSE_EMPTY_STATEMENT`, `PARSE_SYNTAX_ERROR` with line, column, a caret and what was expected, and
 * the codes of `errors/catalogue/sql.ts` for what is refused while reading, as in Spark
 */
export function parseStatement(text: string): Statement {
  if (text.trim() === '') throw deltaError('PARSE_EMPTY_STATEMENT', {})
  const reader = new StatementReader(text)
  const statement = readStatement(reader)
  reader.end()
  return statement
}

function readStatement(reader: StatementReader): Statement {
  const { tokens } = reader
  if (tokens.takeWord('EXPLAIN')) return readExplain(reader, () => readStatement(reader))
  for (const [words, read] of STATEMENTS) if (tokens.takeWords(...words.split(' '))) return read(reader)
  if (tokens.atWord('WITH')) {
    const changed = readWith(reader)
    if (changed !== undefined) return changed
  }
  if (reader.atQuery()) return isMultiInsert(reader) ?? { kind: 'query', query: reader.queryToEnd() }
  const foreign = readForeign(reader)
  if (foreign !== undefined) return foreign
  if (tokens.atWord('COMMIT') || tokens.atWord('ROLLBACK')) {
    const { start, key } = tokens.peek()
    throw reader.error(start, 'INVALID_STATEMENT_OR_CLAUSE', { what: key })
  }
  throw refusal(reader)
}

/** At the first word that goes on with no statement. */
function refusal({ tokens }: StatementReader): DeltaError {
  const known = [...STATEMENTS.map(([words]) => words), ...FOREIGN_BEGINNINGS].map((words) => words.split(' '))
  const depth = (words: readonly string[]): number => words.findIndex((word, i) => !tokens.atWord(word, i))
  const deepest = Math.max(...known.map(depth))
  if (deepest <= 0) return tokens.unexpected('a statement')
  const next = new Set(known.filter((words) => depth(words) === deepest).map((words) => words[deepest]!))
  tokens.moveTo(tokens.place + deepest)
  return tokens.unexpected([...next].join(', '))
}

/** `FROM source INSERT INTO a … INSERT INTO b …`, Hive's form of two statements in one. */
function isMultiInsert({ tokens }: StatementReader): Statement | undefined {
  if (!tokens.atWord('FROM')) return undefined
  const place = tokens.place
  let depth = 0
  let found = false
  for (; !tokens.atEnd() && !found; tokens.next()) {
    if (tokens.atOperator('(')) depth++
    if (tokens.atOperator(')')) depth--
    found = depth === 0 && tokens.atWord('INSERT') && (tokens.atWord('INTO', 1) || tokens.atWord('OVERWRITE', 1))
  }
  if (!found) tokens.moveTo(place)
  else while (!tokens.atEnd()) tokens.next()
  return found ? { kind: 'foreign', words: 'FROM … INSERT' } : undefined
}
