/** `EXPLAIN [EXTENDED|CODEGEN|COST|FORMATTED] statement` */

import type { ExplainMode, Statement } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'

const MODES: readonly ExplainMode[] = ['extended', 'codegen', 'cost', 'formatted']
const EXPLAINED = new Set(['query', 'insert', 'update', 'delete', 'merge', 'create table', 'create table like'])

/** The word EXPLAIN taken. */
export function readExplain(reader: StatementReader, readStatement: () => Statement): Statement {
  const { tokens } = reader
  const mode = MODES.find((candidate) => tokens.takeWord(candidate.toUpperCase())) ?? 'simple'
  const place = tokens.place
  const statement = readStatement()
  if (EXPLAINED.has(statement.kind)) return { kind: 'explain', mode, statement }
  tokens.moveTo(place)
  throw tokens.unexpected('a query, INSERT, UPDATE, DELETE, MERGE or CREATE TABLE')
}
