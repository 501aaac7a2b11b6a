/** What DuckDB says of a file it cannot read, as an error of this package that names the file. */
import { existsSync } from 'node:fs'
import { causeText, deltaError, isDeltaError } from '../../../errors/index.ts'
import type { AddFile } from '../../../kernel/index.ts'
import { expressionError } from '../expressions/index.ts'

const READ_FAILURE =
  /^(?:IO|Invalid Input|Invalid|Binder|Conversion|Serialization) Error|not a parquet|too small to be/i

/** A struct of which the file has no member: the query must be written for the file's own shape. */
export function isShapeMismatch(error: unknown): boolean {
  return /STRUCT to STRUCT cast must have at least one matching member/.test(causeText(error))
}

/** @param files of the query, under the paths DuckDB was given */
export function readFailure(error: unknown, files: readonly { add: AddFile; path: string }[]): unknown {
  const named = expressionError(error)
  if (isDeltaError(named, 'LAKE_STORAGE_UNAVAILABLE')) return missing(named, files) ?? named
  if (isDeltaError(named)) return named
  const text = causeText(error)
  if (!READ_FAILURE.test(text)) return error
  return missing(error, files) ?? unreadable(text, error, files)
}

/** Whether a query with a text of its own is at fault, and no file: a name it does not find, a cast that fails. */
export function isStatementsOwn(error: unknown, files: readonly { path: string }[]): boolean {
  const text = causeText(error)
  return /^(?:Binder|Conversion|Invalid Input) Error/.test(text) && !files.some(({ path }) => text.includes(path))
}

function missing(cause: unknown, files: readonly { add: AddFile; path: string }[]): unknown {
  const gone = files.find((file) => !existsSync(file.path))
  return gone && deltaError('FAILED_READ_FILE.FILE_NOT_EXIST', { file: gone.add.path }, { cause })
}

function unreadable(text: string, cause: unknown, files: readonly { add: AddFile; path: string }[]): unknown {
  const named = files.find((file) => text.includes(file.path)) ?? (files.length === 1 ? files[0] : undefined)
  return deltaError(
    'FAILED_READ_FILE.NO_HINT',
    {
      file: named?.add.path ?? `one of ${files.length} data files`,
      cause: text.split('\n')[0],
      readable: 'files beside it can be read',
    },
    { cause },
  )
}
