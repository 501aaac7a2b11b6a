/** `OPTIMIZE name [FULL] [WHERE condition] [ZORDER BY (columns)]` */

import type { ColumnPath, Statement } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'

/** The word OPTIMIZE taken. */
export function readOptimize(reader: StatementReader): Statement {
  const { tokens } = reader
  const table = reader.table({ text: true })
  const full = tokens.takeWord('FULL')
  const where = reader.where()
  return { kind: 'optimize', table, full, ...where, zorderBy: tokens.takeWord('ZORDER') ? readZorder(reader) : [] }
}

function readZorder(reader: StatementReader): readonly ColumnPath[] {
  reader.tokens.expectWord('BY')
  return reader.tokens.atOperator('(') ? reader.columns() : reader.list(() => reader.column())
}
