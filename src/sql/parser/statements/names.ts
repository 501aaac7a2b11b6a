/** DROP TABLE, TRUNCATE TABLE and COMMENT ON TABLE. */

import type { Statement } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'

/** `DROP TABLE [IF EXISTS] name [PURGE]`, both words taken. */
export function readDropTable(reader: StatementReader): Statement {
  const ifExists = reader.ifExists()
  const table = reader.table()
  return { kind: 'drop table', table, ifExists, purge: reader.tokens.takeWord('PURGE') }
}

/** `TRUNCATE TABLE name [PARTITION (…)]`, the first word taken. */
export function readTruncate(reader: StatementReader): Statement {
  reader.tokens.expectWord('TABLE')
  const table = reader.table()
  if (!reader.tokens.takeWord('PARTITION')) return { kind: 'truncate table', table }
  return { kind: 'truncate table', table, partition: reader.partition() }
}

/** `COMMENT ON TABLE name IS 'text'|NULL`, the first word taken. */
export function readComment(reader: StatementReader): Statement {
  const { tokens } = reader
  tokens.expectWord('ON')
  if (tokens.takeWord('SCHEMA') || tokens.takeWord('DATABASE') || tokens.takeWord('NAMESPACE')) {
    reader.parts('a name')
    readText(reader)
    return { kind: 'foreign', words: 'COMMENT ON SCHEMA' }
  }
  tokens.expectWord('TABLE')
  const table = reader.table()
  return { kind: 'comment on table', table, comment: readText(reader) }
}

function readText(reader: StatementReader): string | null {
  reader.tokens.expectWord('IS')
  return reader.tokens.takeWord('NULL') ? null : reader.string('a text or NULL')
}
