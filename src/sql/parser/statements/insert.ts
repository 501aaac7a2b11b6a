/**
 * `INSERT INTO|OVERWRITE [TABLE] name [PARTITION (…)] [(columns) | BY NAME | REPLACE WHERE condition] VALUES …|query`
 */

import type { AssignedValue, PartitionSpec, QueryText, Statement, StatementOf, ValuesList } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'

/** The word INSERT taken. */
export function readInsert(reader: StatementReader, cte: { readonly with?: QueryText } = {}): Statement {
  const { tokens } = reader
  const overwrite = tokens.takeWord('OVERWRITE')
  if (!overwrite) tokens.expectWord('INTO')
  if (overwrite && atDirectory(reader)) return readDirectory(reader)
  if (tokens.atWord('TABLE') && (tokens.peek(1).kind === 'word' || tokens.peek(1).kind === 'name')) tokens.next()
  const table = reader.table()
  const target = readTarget(reader, overwrite)
  return { kind: 'insert', table, overwrite, ...target, ...cte, source: readSource(reader) }
}

type Target = Pick<StatementOf<'insert'>, 'byName' | 'columns' | 'partition' | 'ifPartitionNotExists' | 'replaceWhere'>

function readTarget(reader: StatementReader, overwrite: boolean): Target {
  const { tokens } = reader
  const plain = { byName: false, ifPartitionNotExists: false }
  if (!overwrite && tokens.takeWords('REPLACE', 'WHERE')) return { ...plain, replaceWhere: reader.expression() }
  const partition = readPartition(reader, overwrite)
  if (tokens.takeWords('BY', 'NAME')) return { ...plain, ...partition, byName: true }
  if (!tokens.atOperator('(') || isQuery(reader)) return { ...plain, ...partition }
  return { ...plain, ...partition, columns: reader.bracketed(() => tokens.expectName('the name of a column')) }
}

function readPartition(
  reader: StatementReader,
  overwrite: boolean,
): { readonly partition?: PartitionSpec; readonly ifPartitionNotExists?: boolean } {
  const { tokens } = reader
  if (!tokens.takeWord('PARTITION')) return {}
  const partition = reader.partition()
  const { start } = tokens.peek()
  const ifPartitionNotExists = reader.ifNotExists()
  if (ifPartitionNotExists && !overwrite) {
    throw reader.error(start, 'INVALID_STATEMENT_OR_CLAUSE', { what: 'IF NOT EXISTS of INSERT INTO' })
  }
  return { partition, ifPartitionNotExists }
}

function isQuery({ tokens }: StatementReader): boolean {
  const next = tokens.peek(1)
  if (tokens.atOperator('(', 1)) return true
  const begins = ['SELECT', 'WITH', 'VALUES', 'FROM', 'TABLE'].includes(next.key)
  const after = tokens.peek(2)
  return begins && !(after.kind === 'operator' && [',', ')'].includes(after.key))
}

function readSource(reader: StatementReader): QueryText | ValuesList {
  const { tokens } = reader
  if (!tokens.atWord('VALUES')) return reader.queryToEnd()
  const place = tokens.place
  tokens.next()
  const rows = reader.list(() => readRow(reader))
  if (tokens.atEnd() || tokens.atOperator(';')) return { rows }
  const goesOn = ['UNION', 'EXCEPT', 'INTERSECT', 'MINUS', 'ORDER', 'LIMIT', 'AS'].some((word) => tokens.atWord(word))
  if (!goesOn) throw tokens.unexpected("',' or the end of the statement")
  tokens.moveTo(place)
  return reader.queryToEnd()
}

/** `(1, DEFAULT)`; a value without brackets is a row of one. */
function readRow(reader: StatementReader): readonly AssignedValue[] {
  const { tokens } = reader
  if (!tokens.atOperator('(')) return [reader.assigned()]
  const place = tokens.place
  const values = reader.bracketed(() => reader.assigned())
  const ends = tokens.peek().kind !== 'operator' || tokens.atOperator(',') || tokens.atOperator(';')
  if (ends || tokens.atOperator('(')) return values
  tokens.moveTo(place)
  return [reader.expression()]
}

function atDirectory({ tokens }: StatementReader): boolean {
  return tokens.atWord('DIRECTORY') || (tokens.atWord('LOCAL') && tokens.atWord('DIRECTORY', 1))
}

/** Spark's way of writing files that are no table. */
function readDirectory({ tokens }: StatementReader): Statement {
  while (!tokens.atEnd()) tokens.next()
  return { kind: 'foreign', words: 'INSERT OVERWRITE DIRECTORY' }
}
