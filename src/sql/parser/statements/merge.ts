/**
 * `MERGE [WITH SCHEMA EVOLUTION] INTO name [AS t] USING source [AS s] ON condition`, then WHEN MATCHED, WHEN NOT MATCHED
 * [BY TARGET] and WHEN NOT MATCHED BY SOURCE clauses, in this order.
 */
import type { ErrorCode } from '../../../errors/index.ts'
import type { Assignment, MergeClause, MergeSource, QueryText, Statement } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'

type ClauseKind = 'matched' | 'notMatched' | 'notMatchedBySource'

const ORDER: readonly ClauseKind[] = ['matched', 'notMatched', 'notMatchedBySource']
const ONLY_LAST: Readonly<Record<ClauseKind, ErrorCode>> = {
  matched: 'NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION',
  notMatched: 'NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION',
  notMatchedBySource: 'NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION',
}

/** The word MERGE taken. */
export function readMerge(reader: StatementReader, cte: { readonly with?: QueryText } = {}): Statement {
  const { tokens } = reader
  const schemaEvolution = tokens.takeWords('WITH', 'SCHEMA', 'EVOLUTION')
  tokens.expectWord('INTO')
  const table = reader.table()
  const alias = reader.alias()
  tokens.expectWord('USING')
  const source = readSource(reader)
  const { alias: sourceAlias } = readSourceAlias(reader)
  tokens.expectWord('ON')
  if (tokens.atWord('WHEN')) throw tokens.unexpected('a condition')
  const on = reader.expression()
  const clauses = readClauses(reader)
  const named = sourceAlias === undefined ? {} : { sourceAlias }
  return { kind: 'merge', table, ...alias, source, ...named, ...cte, on, schemaEvolution, ...clauses }
}

function readSource(reader: StatementReader): MergeSource {
  return reader.tokens.atOperator('(') ? reader.bracketedQuery() : reader.table()
}

function readSourceAlias(reader: StatementReader): { readonly alias?: string } {
  const alias = reader.alias()
  const { start } = reader.tokens.peek()
  if ('alias' in alias && reader.tokens.atOperator('(')) {
    throw reader.error(start, 'COLUMN_ALIASES_NOT_ALLOWED', { statement: 'MERGE' })
  }
  return alias
}

function readClauses(reader: StatementReader): Record<ClauseKind, readonly MergeClause[]> {
  const { tokens } = reader
  const found: Record<ClauseKind, MergeClause[]> = { matched: [], notMatched: [], notMatchedBySource: [] }
  const start = tokens.peek().start
  let reached = 0
  while (tokens.takeWord('WHEN')) {
    const at = tokens.peek().start
    const kind = readKind(reader, ORDER[reached]!)
    reached = ORDER.indexOf(kind)
    const last = found[kind].at(-1)
    if (last !== undefined && last.if === undefined) throw reader.error(at, ONLY_LAST[kind], {})
    found[kind].push(readClause(reader, kind))
  }
  if (ORDER.some((kind) => found[kind].length > 0)) return found
  if (tokens.atEnd() || tokens.atOperator(';')) throw reader.error(start, 'MERGE_WITHOUT_WHEN', {})
  throw tokens.unexpected('WHEN')
}

/** `[NOT] MATCHED [BY SOURCE|TARGET]`, not before the kind that was reached. */
function readKind({ tokens }: StatementReader, reached: ClauseKind): ClauseKind {
  if (!tokens.takeWord('NOT') && !tokens.takeOperator('!')) {
    if (reached !== 'matched') throw tokens.unexpected('NOT MATCHED: WHEN MATCHED clauses come first')
    tokens.expectWord('MATCHED')
    if (tokens.atWord('BY')) throw tokens.unexpected('AND or THEN')
    return 'matched'
  }
  tokens.expectWord('MATCHED')
  const bySource = tokens.takeWords('BY', 'SOURCE')
  if (!bySource && tokens.takeWord('BY')) tokens.expectWord('TARGET')
  if (bySource) return 'notMatchedBySource'
  if (reached !== 'notMatchedBySource') return 'notMatched'
  throw tokens.unexpected('BY SOURCE: WHEN NOT MATCHED clauses come before those BY SOURCE')
}

function readClause(reader: StatementReader, kind: ClauseKind): MergeClause {
  const { tokens } = reader
  const condition = tokens.takeWord('AND') ? { if: reader.expression() } : {}
  tokens.expectWord('THEN')
  return { ...condition, action: readAction(reader, kind) }
}

function readAction(reader: StatementReader, kind: ClauseKind): MergeClause['action'] {
  const { tokens } = reader
  if (kind === 'notMatched') {
    if (!tokens.takeWord('INSERT')) throw tokens.unexpected('INSERT')
    return { do: 'insert', set: tokens.takeOperator('*') ? '*' : readInsert(reader) }
  }
  if (tokens.takeWord('DELETE')) return { do: 'delete' }
  if (!tokens.takeWord('UPDATE')) throw tokens.unexpected('UPDATE or DELETE')
  tokens.expectWord('SET')
  if (kind === 'matched' && tokens.takeOperator('*')) return { do: 'update', set: '*' }
  return { do: 'update', set: reader.assignments() }
}

/** `(columns) VALUES (values)` */
function readInsert(reader: StatementReader): readonly Assignment[] {
  const { tokens } = reader
  const start = tokens.peek().start
  if (!tokens.atOperator('(')) throw tokens.unexpected("'*' or '('")
  const columns = reader.columns()
  tokens.expectWord('VALUES')
  const values = reader.bracketed(() => reader.assigned())
  if (columns.length !== values.length) throw reader.error(start, '_LEGACY_ERROR_TEMP_0006', {})
  return columns.map((column, i) => ({ column, value: values[i]! }))
}
