/** The codes under which the reference says that there is no table: they hang on the statement. */
import { type DeltaError, deltaError, type ErrorCode, isDeltaError } from '../../errors/index.ts'
import type { Statement } from '../parser/index.ts'

/** Of a path; a name that stands for nothing has a code of its own. */
const CODES: { readonly [K in Statement['kind']]?: ErrorCode } = {
  query: 'PATH_NOT_FOUND',
  insert: 'PATH_NOT_FOUND',
  update: 'PATH_NOT_FOUND',
  delete: 'PATH_NOT_FOUND',
  merge: 'PATH_NOT_FOUND',
  'describe table': 'PATH_NOT_FOUND',
  'create table': 'PATH_NOT_FOUND',
  'describe history': 'DELTA_TABLE_ONLY_OPERATION',
}

/**
 * @param isName whether a text stands for no path
 * @returns the error of a statement, under the reference's code where a table is not there
 */
export function ofStatement(error: unknown, { kind }: Statement, isName: (text: string) => boolean): unknown {
  if (!isDeltaError(error, 'DELTA_TABLE_NOT_FOUND')) return error
  const path = String((error as DeltaError).details.path)
  const code = isName(path) ? 'TABLE_OR_VIEW_NOT_FOUND' : (CODES[kind] ?? 'DELTA_MISSING_DELTA_TABLE')
  return deltaError(code, { path, operation: kind.toUpperCase() }, { cause: error })
}
