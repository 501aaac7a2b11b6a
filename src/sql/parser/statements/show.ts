/** `SHOW TABLES | TBLPROPERTIES | COLUMNS | PARTITIONS | CREATE TABLE` */

import type { Statement } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'
import { skipForeign } from './foreign.ts'

const OTHERS = ['DATABASES', 'SCHEMAS', 'NAMESPACES', 'CATALOGS', 'CURRENT', 'FUNCTIONS', 'VIEWS', 'USER', 'ALL']

/** The word SHOW taken. */
export function readShow(reader: StatementReader): Statement {
  const { tokens } = reader
  if (tokens.takeWord('TABLES')) return readTables(reader)
  if (tokens.takeWord('TBLPROPERTIES')) return readProperties(reader)
  if (tokens.takeWord('COLUMNS')) return readColumns(reader)
  if (tokens.takeWord('PARTITIONS')) {
    const table = reader.table()
    return { kind: 'show partitions', table, ...(tokens.takeWord('PARTITION') && { partition: reader.partition() }) }
  }
  if (tokens.takeWord('CREATE')) {
    tokens.expectWord('TABLE')
    return { kind: 'show create table', table: reader.table() }
  }
  if (tokens.atWord('TABLE') && tokens.atWord('EXTENDED', 1)) return skipForeign(reader, 'SHOW TABLE EXTENDED')
  if (OTHERS.some((word) => tokens.atWord(word))) return skipForeign(reader, `SHOW ${tokens.peek().key}`)
  throw tokens.unexpected('TABLES, TBLPROPERTIES, COLUMNS, PARTITIONS or CREATE TABLE')
}

function readTables(reader: StatementReader): Statement {
  const { tokens } = reader
  const within = tokens.takeWord('IN') || tokens.takeWord('FROM') ? { in: reader.parts('the name of a schema') } : {}
  if (tokens.takeWord('LIKE') || tokens.atString()) {
    return { kind: 'show tables', ...within, pattern: reader.string('a pattern') }
  }
  return { kind: 'show tables', ...within }
}

function readProperties(reader: StatementReader): Statement {
  const { tokens } = reader
  const table = reader.table()
  if (!tokens.takeOperator('(')) return { kind: 'show properties', table }
  const key = reader.propertyKey()
  tokens.expectOperator(')')
  return { kind: 'show properties', table, key }
}

function readColumns(reader: StatementReader): Statement {
  const { tokens } = reader
  if (!tokens.takeWord('IN') && !tokens.takeWord('FROM')) throw tokens.unexpected('IN or FROM')
  const table = reader.table()
  if (!tokens.takeWord('IN') && !tokens.takeWord('FROM')) return { kind: 'show columns', table }
  const schema = reader.parts('the name of a schema')
  if ('computed' in table) return { kind: 'show columns', table }
  return { kind: 'show columns', table: { ...table, parts: [...schema, ...table.parts] } }
}
