/** `ALTER TABLE name …`, in all its forms. */

import type { AlterAction, AlterColumnAction, ColumnPath, Statement } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'
import { readAddedColumn, readColumnType, readPosition } from './column-definition.ts'
import { readConstraint } from './constraint.ts'

/** The words ALTER TABLE taken. */
export function readAlterTable(reader: StatementReader): Statement {
  const table = reader.table()
  return { kind: 'alter table', table, action: readAction(reader) }
}

function readAction(reader: StatementReader): AlterAction {
  const { tokens } = reader
  if (tokens.takeWord('ADD')) return readAdd(reader)
  if (tokens.takeWord('DROP')) return readDrop(reader)
  if (tokens.takeWord('RENAME')) return readRename(reader)
  if (tokens.takeWords('REPLACE', 'COLUMNS')) return readReplaceColumns(reader)
  if (tokens.takeWord('SET')) return readSet(reader)
  if (tokens.takeWords('UNSET', 'TBLPROPERTIES')) {
    return { kind: 'unset properties', ifExists: reader.ifExists(), keys: reader.propertyKeys() }
  }
  if (tokens.takeWords('CLUSTER', 'BY')) {
    return { kind: 'cluster by', columns: tokens.takeWord('NONE') ? [] : reader.columns() }
  }
  const changes = tokens.takeWord('CHANGE')
  if (changes || tokens.takeWord('ALTER')) return readAlterColumn(reader, changes)
  return readForeign(reader)
}

function readAdd(reader: StatementReader): AlterAction {
  const { tokens } = reader
  if (tokens.takeWord('COLUMN') || tokens.takeWord('COLUMNS'))
    return { kind: 'add columns', columns: readColumns(reader) }
  if (tokens.takeWord('FEATURE')) return { kind: 'add feature', feature: readFeature(reader) }
  if (tokens.atWord('PARTITION') || (tokens.atWord('IF') && tokens.atWord('PARTITION', 3))) {
    return foreign(reader, 'ADD PARTITION')
  }
  const { CONSTRAINT: named, ...keys } = CONSTRAINT_WORDS
  if (!tokens.atWord(named) && !Object.values(keys).some((word) => tokens.atWord(word))) {
    throw tokens.unexpected('COLUMN, COLUMNS, CONSTRAINT or FEATURE')
  }
  return { kind: 'add constraint', constraint: readConstraint(reader) }
}

const CONSTRAINT_WORDS = {
  CONSTRAINT: 'CONSTRAINT',
  CHECK: 'CHECK',
  PRIMARY: 'PRIMARY',
  UNIQUE: 'UNIQUE',
  FOREIGN: 'FOREIGN',
} as const

function readColumns(reader: StatementReader) {
  if (reader.tokens.atOperator('(')) return reader.bracketed(() => readAddedColumn(reader))
  return reader.list(() => readAddedColumn(reader))
}

function readFeature({ tokens }: StatementReader): string {
  return tokens.atString() ? tokens.expectString('the name of a feature') : tokens.expectName('the name of a feature')
}

function readDrop(reader: StatementReader): AlterAction {
  const { tokens } = reader
  if (tokens.takeWord('FEATURE')) {
    const feature = readFeature(reader)
    return { kind: 'drop feature', feature, truncateHistory: tokens.takeWords('TRUNCATE', 'HISTORY') }
  }
  if (tokens.takeWord('CONSTRAINT')) {
    const ifExists = reader.ifExists()
    const name = tokens.expectName('the name of a constraint')
    if (!tokens.takeWord('CASCADE')) tokens.takeWord('RESTRICT')
    return { kind: 'drop constraint', name, ifExists }
  }
  if (tokens.atWord('PARTITION') || (tokens.atWord('IF') && tokens.atWord('PARTITION', 2))) {
    return foreign(reader, 'DROP PARTITION')
  }
  if (!tokens.takeWord('COLUMN') && !tokens.takeWord('COLUMNS')) {
    throw tokens.unexpected('COLUMN, COLUMNS, CONSTRAINT or FEATURE')
  }
  const ifExists = reader.ifExists()
  const columns = tokens.atOperator('(') ? reader.columns() : reader.list(() => reader.column())
  return { kind: 'drop columns', columns, ifExists }
}

function readRename(reader: StatementReader): AlterAction {
  const { tokens } = reader
  if (tokens.takeWord('TO')) return { kind: 'rename table', to: reader.table() }
  if (!tokens.takeWord('COLUMN')) throw tokens.unexpected('COLUMN or TO')
  const column = reader.column()
  tokens.expectWord('TO')
  const to = tokens.expectName('the new name')
  if (tokens.atOperator('.')) throw tokens.unexpected('the end of the statement: a new name has no path')
  return { kind: 'rename column', column, to }
}

function readReplaceColumns(reader: StatementReader): AlterAction {
  const { start } = reader.tokens.peek()
  const columns = reader.bracketed(() => readAddedColumn(reader))
  if (columns.some(({ field }) => !field.nullable)) {
    throw reader.error(start, '_LEGACY_ERROR_TEMP_0034', { what: 'NOT NULL', statement: 'REPLACE COLUMNS' })
  }
  return { kind: 'replace columns', columns }
}

function readSet(reader: StatementReader): AlterAction {
  const { tokens } = reader
  if (tokens.takeWord('TBLPROPERTIES')) return { kind: 'set properties', properties: reader.tableProperties() }
  if (tokens.takeWord('LOCATION')) return { kind: 'set location', location: reader.string('a path') }
  if (tokens.atWord('SERDE') || tokens.atWord('SERDEPROPERTIES')) return foreign(reader, 'SET SERDE')
  throw tokens.unexpected('TBLPROPERTIES or LOCATION')
}

/** `ALTER [COLUMN] a TYPE BIGINT, b COMMENT 'x'`; also `CHANGE [COLUMN] a a BIGINT COMMENT 'x' AFTER b`. */
function readAlterColumn(reader: StatementReader, isChange: boolean): AlterAction {
  const { tokens } = reader
  const { start } = tokens.peek()
  const isWord = tokens.atWord('COLUMN') && !tokens.atOperator('.', 1)
  if (isWord || tokens.atWord('COLUMNS')) tokens.next()
  const column = reader.column()
  if (tokens.takeWords('SYNC', 'IDENTITY')) return { kind: 'sync identity', column }
  if (isChange && !atChange(reader)) return readHiveChange(reader, { column, start })
  const first = readChange(reader, { column, start })
  const changes = [first]
  while (tokens.takeOperator(',')) changes.push(readChange(reader, { column: reader.column(), start }))
  return { kind: 'alter columns', changes }
}

const CHANGE_WORDS = ['TYPE', 'COMMENT', 'SET', 'DROP', 'FIRST', 'AFTER']

function atChange({ tokens }: StatementReader): boolean {
  return tokens.atEnd() || CHANGE_WORDS.some((word) => tokens.atWord(word))
}

interface Subject {
  readonly column: ColumnPath
  /** of the clause, for messages */
  readonly start: number
}

function readChange(reader: StatementReader, { column, start }: Subject): AlterColumnAction {
  const { tokens } = reader
  if (tokens.takeWord('TYPE')) return { column, ...readNewType(reader) }
  if (tokens.takeWord('COMMENT')) return { column, comment: reader.string('the comment') }
  if (tokens.atWord('FIRST') || tokens.atWord('AFTER')) return { column, position: readPosition(reader) }
  const sets = tokens.takeWord('SET')
  if (sets || tokens.takeWord('DROP')) {
    if (tokens.takeWords('NOT', 'NULL')) return { column, nullable: !sets }
    if (!tokens.takeWord('DEFAULT')) throw tokens.unexpected('NOT NULL or DEFAULT')
    return { column, default: sets ? reader.keptExpression('DEFAULT').text : null }
  }
  if (!tokens.atEnd()) throw tokens.unexpected('TYPE, COMMENT, FIRST, AFTER, SET or DROP')
  throw reader.error(start, '_LEGACY_ERROR_TEMP_0035', { what: 'ALTER COLUMN that changes nothing' })
}

function readNewType(reader: StatementReader): Pick<AlterColumnAction, 'type' | 'typeMetadata' | 'foreignType'> {
  const { type, metadata, foreignType } = readColumnType(reader)
  if (foreignType !== undefined) return { type, foreignType }
  return Object.keys(metadata).length === 0 ? { type } : { type, typeMetadata: metadata }
}

/** The new name must be the old one; that is looked at when the statement runs. */
function readHiveChange(reader: StatementReader, { column, start }: Subject): AlterAction {
  const { tokens } = reader
  const name = tokens.expectName('the name of the column again')
  const type = readNewType(reader)
  if (tokens.atWord('NOT')) {
    throw reader.error(start, '_LEGACY_ERROR_TEMP_0034', { what: 'NOT NULL', statement: 'CHANGE COLUMN' })
  }
  const comment = tokens.takeWord('COMMENT') ? { comment: reader.string('the comment') } : {}
  const placed = tokens.atWord('FIRST') || tokens.atWord('AFTER') ? { position: readPosition(reader) } : {}
  if (name.toLowerCase() !== column.at(-1)!.toLowerCase()) {
    const what = 'a new name (write RENAME COLUMN)'
    throw reader.error(start, '_LEGACY_ERROR_TEMP_0034', { what, statement: 'CHANGE COLUMN' })
  }
  return { kind: 'alter columns', changes: [{ column, ...type, ...comment, ...placed }] }
}

const FOREIGN_ACTIONS: readonly (readonly string[])[] = [
  ['PARTITION'],
  ['RECOVER', 'PARTITIONS'],
  ['DEFAULT', 'COLLATION'],
]

function readForeign(reader: StatementReader): AlterAction {
  const { tokens } = reader
  const found = FOREIGN_ACTIONS.find((words) => words.every((word, i) => tokens.atWord(word, i)))
  if (found === undefined)
    throw tokens.unexpected('ADD, DROP, RENAME, REPLACE, ALTER, CHANGE, SET, UNSET or CLUSTER BY')
  return foreign(reader, found.join(' '))
}

function foreign({ tokens }: StatementReader, words: string): AlterAction {
  while (!tokens.atEnd() && !tokens.atOperator(';')) tokens.next()
  return { kind: 'foreign', words }
}
