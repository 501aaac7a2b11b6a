/** `UPDATE name [AS alias] SET column = value, … [WHERE condition]` */

import type { Statement } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'

/** The word UPDATE taken. */
export function readUpdate(reader: StatementReader): Statement {
  const table = reader.table()
  const alias = reader.alias()
  reader.tokens.expectWord('SET')
  const set = reader.assignments()
  return { kind: 'update', table, ...alias, set, ...reader.where() }
}
