/** `CREATE [OR REPLACE] TABLE name SHALLOW|DEEP CLONE source [VERSION AS OF n] [TBLPROPERTIES (…)] [LOCATION 'path']` */

import type { Statement } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'
import type { NewTable } from './create-table.ts'

export function atClone({ tokens }: StatementReader): boolean {
  return (tokens.atWord('SHALLOW') || tokens.atWord('DEEP')) && tokens.atWord('CLONE', 1)
}

export function readClone(reader: StatementReader, head: NewTable): Statement {
  const { tokens } = reader
  const depth = tokens.takeWord('SHALLOW') ? 'shallow' : 'deep'
  if (depth === 'deep') tokens.expectWord('DEEP')
  tokens.expectWord('CLONE')
  const source = reader.table()
  const at = reader.timeTravel()
  const properties = tokens.takeWord('TBLPROPERTIES') ? reader.tableProperties() : new Map<string, string>()
  const location = tokens.takeWord('LOCATION') ? { location: reader.string('a path') } : {}
  return { kind: 'clone', depth, ...head, source, ...(at !== undefined && { at }), properties, ...location }
}
