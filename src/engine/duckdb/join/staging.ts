/** What the parts of a join share: the session with its temporary tables. */
import type { StructType } from '../../../schema/index.ts'
import type { RowAccess } from '../../index.ts'
import type { DuckDatabase, DuckSession } from '../instance.ts'
import { scan } from '../scan/scan.ts'
import { write } from '../write/write.ts'

/** The temporary table of the rows staged; its columns are `s<ordinal>`, those that are void left out. */
export const STAGED = 'staged_rows'

/**
 * The temporary table of rows on which an action applies: `f`, the file's place in the plan, and `r`, the row's in the
 * file, both null for a row of the source alone; `s`, the staged row, null for a row of the table alone; `a`, the
 * action; `c<ordinal>` the columns kept.
 */
export const ACTED = 'acted_rows'

export interface Staging {
  readonly database: DuckDatabase
  readonly session: DuckSession
  readonly schema: StructType
  readonly numRows: number
}

/** What rows are read and written with where SQL does not do it. */
export function rowAccess(database: DuckDatabase): RowAccess {
  return {
    scan: (plan, call) => scan(database, plan, call),
    write: (source, plan, call) => write(database, source, plan, call),
  }
}
