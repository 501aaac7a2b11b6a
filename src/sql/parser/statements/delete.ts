/** `DELETE FROM name [AS alias] [WHERE condition]` */

import type { Statement } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'

/**
 * The word DELETE taken. A WHERE with nothing behind it is refused, where Spark takes the word for an alias and deletes
 * every row.
 */
export function readDelete(reader: StatementReader): Statement {
  reader.tokens.expectWord('FROM')
  const table = reader.table()
  const alias = reader.alias()
  return { kind: 'delete', table, ...alias, ...reader.where() }
}
