/** Which file carries out which statement. */
import { deltaError } from '../../errors/index.ts'
import type { Statement } from '../parser/index.ts'
import type { SqlResult } from '../result.ts'
import { executeAlterTable, executeComment } from './alter-table.ts'
import { executeClone } from './clone.ts'
import { executeConvert } from './convert.ts'
import { executeCreateLike, executeCreateTable } from './create-table.ts'
import { executeDelete, executeTruncate } from './delete.ts'
import { executeDescribeDetail, executeDescribeHistory, executeDescribeTable } from './describe.ts'
import { executeExplain } from './explain.ts'
import { executeFsck } from './fsck.ts'
import { executeGenerate } from './generate.ts'
import { executeInsert } from './insert.ts'
import { executeMerge } from './merge.ts'
import { executeCheckpoint, executeDropTable } from './names.ts'
import { executeOptimize, executeReorg } from './optimize.ts'
import { executeRestore } from './restore.ts'
import { executeReset, executeSet } from './set.ts'
import { executeShowColumns, executeShowPartitions, executeShowProperties, executeShowTables } from './show.ts'
import { executeShowCreate } from './show-create.ts'
import type { Execute, StatementContext } from './statement-context.ts'
import { executeUpdate } from './update.ts'
import { executeVacuum } from './vacuum.ts'

export type { StatementContext } from './statement-context.ts'

const executors: { readonly [K in Statement['kind']]?: Execute<K> } = {
  query: async ({ query }, context) => await context.query(query.text),
  'describe query': async ({ query }, context) => await context.query(`DESCRIBE ${query.text}`),
  'create table': executeCreateTable,
  'create table like': executeCreateLike,
  insert: executeInsert,
  update: executeUpdate,
  delete: executeDelete,
  merge: executeMerge,
  'alter table': executeAlterTable,
  'comment on table': executeComment,
  'truncate table': executeTruncate,
  'drop table': executeDropTable,
  checkpoint: executeCheckpoint,
  optimize: executeOptimize,
  reorg: executeReorg,
  vacuum: executeVacuum,
  restore: executeRestore,
  clone: executeClone,
  convert: executeConvert,
  fsck: executeFsck,
  generate: executeGenerate,
  'describe table': executeDescribeTable,
  'describe detail': executeDescribeDetail,
  'describe history': executeDescribeHistory,
  'show tables': executeShowTables,
  'show properties': executeShowProperties,
  'show columns': executeShowColumns,
  'show partitions': executeShowPartitions,
  'show create table': executeShowCreate,
  explain: executeExplain,
  set: executeSet,
  reset: executeReset,
}

/**
 * Carries out one statement.
 *
 * @throws DeltaError what the statement's own file says; `LAKE_STATEMENT_UNSUPPORTED` for one that is read and not built
 */
export async function executeStatement(statement: Statement, context: StatementContext): Promise<SqlResult> {
  const execute = executors[statement.kind] as Execute<Statement['kind']> | undefined
  if (execute !== undefined) return await execute(statement as never, context)
  const words = statement.kind === 'foreign' ? statement.words : statement.kind.toUpperCase()
  throw deltaError('LAKE_STATEMENT_UNSUPPORTED', { statement: words })
}
