/** Whether two catalogs say the same: a digest over what every format that is written can hold. */
import { quoteIdent } from '../../engine/duckdb/index.ts'
import { tablesOf } from '../catalog/formats.ts'

interface Tables {
  view(name: string): string
  query(sql: string): Promise<(bigint | string | boolean | null)[][]>
}

const LEFT_OUT = new Set(['ducklake_files_scheduled_for_deletion'])
/** What differs between files of one content. */
const OWN_KEYS = "WHERE key NOT IN ('version', 'created_by', 'data_path')"

/** Equal for catalogs of equal rows, in whatever order and format; of one engine's making, so never stored. */
export async function catalogDigest(tables: Tables): Promise<string> {
  const parts: string[] = []
  for (const table of tablesOf('1.0')) {
    if (LEFT_OUT.has(table.name)) continue
    const columns = table.columns.map(({ name }) => `${quoteIdent(name)}::VARCHAR`)
    const [row] = await tables.query(
      `SELECT count(*)::VARCHAR, coalesce(sum(hash(${columns.join(', ')})), 0)::VARCHAR FROM ${tables.view(table.name.replace(/^ducklake_/, ''))}
       ${table.name === 'ducklake_metadata' ? OWN_KEYS : ''}`,
    )
    parts.push(`${table.name} ${row!.join(' ')}`)
  }
  return parts.join('\n')
}
