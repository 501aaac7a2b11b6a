/** RESTORE, REORG, CONVERT, GENERATE, FSCK and CHECKPOINT: statements of one clause or two. */

import type { Statement, StatementOf, TableName } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'
import { readPlainColumn } from './column-definition.ts'

/** `RESTORE [TABLE] name [TO] VERSION|TIMESTAMP AS OF …`, the first word taken. */
export function readRestore(reader: StatementReader): Statement {
  const { tokens } = reader
  const next = tokens.peek(1)
  if (tokens.atWord('TABLE') && (next.kind === 'word' || next.kind === 'name') && next.key !== 'TO') tokens.next()
  const table = reader.table()
  tokens.takeWord('TO')
  const to = reader.timeTravel()
  if (to === undefined) throw tokens.unexpected('VERSION AS OF or TIMESTAMP AS OF')
  return { kind: 'restore', table, to }
}

/** `REORG TABLE name [WHERE condition] APPLY (PURGE)`, the first word taken. */
export function readReorg(reader: StatementReader): Statement {
  const { tokens } = reader
  tokens.expectWord('TABLE')
  const table = reader.table()
  const where = reader.where()
  tokens.expectWord('APPLY')
  tokens.expectOperator('(')
  const apply = readApply(reader)
  tokens.expectOperator(')')
  return { kind: 'reorg', table, ...where, apply }
}

function readApply({ tokens }: StatementReader): StatementOf<'reorg'>['apply'] {
  if (tokens.takeWord('PURGE')) return { kind: 'purge' }
  if (!tokens.takeWords('UPGRADE', 'UNIFORM')) throw tokens.unexpected('PURGE or UPGRADE UNIFORM')
  tokens.expectOperator('(')
  tokens.expectWord('ICEBERG_COMPAT_VERSION')
  tokens.expectOperator('=')
  const icebergVersion = tokens.expectInteger('a version')
  tokens.expectOperator(')')
  return { kind: 'upgrade uniform', icebergVersion }
}

/** ``CONVERT TO DELTA parquet.`path` [NO STATISTICS] [PARTITIONED BY (columns with types)]``, the first word taken. */
export function readConvert(reader: StatementReader): Statement {
  const { tokens } = reader
  tokens.expectWords('TO', 'DELTA')
  const source = reader.table() as TableName
  const collectStatistics = !tokens.takeWords('NO', 'STATISTICS')
  const partition = tokens.takeWords('PARTITIONED', 'BY')
    ? { partitionedBy: reader.bracketed(() => readPlainColumn(reader)) }
    : {}
  return { kind: 'convert', source, collectStatistics, ...partition }
}

/** `GENERATE mode FOR TABLE name`, the first word taken. */
export function readGenerate(reader: StatementReader): Statement {
  const mode = reader.tokens.expectName('symlink_format_manifest')
  reader.tokens.expectWords('FOR', 'TABLE')
  return { kind: 'generate', mode, table: reader.table() }
}

/** `FSCK REPAIR TABLE name [DRY RUN]`, the first word taken. */
export function readFsck(reader: StatementReader): Statement {
  reader.tokens.expectWords('REPAIR', 'TABLE')
  const table = reader.table()
  return { kind: 'fsck', table, dryRun: reader.tokens.takeWords('DRY', 'RUN') }
}

/** `CHECKPOINT TABLE name`, the first word taken. */
export function readCheckpoint(reader: StatementReader): Statement {
  reader.tokens.expectWord('TABLE')
  return { kind: 'checkpoint', table: reader.table() }
}
