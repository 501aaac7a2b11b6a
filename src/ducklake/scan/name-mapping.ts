/** Name mappings: how files without field ids call the columns of a table. Source: DuckLake, "Name Mapping". */
import { type Catalog, safeNumber } from '../catalog/catalog.ts'

export interface MappedNode {
  /** as the file calls it, in whatever case */
  readonly name: string
  /** id of the column of the table */
  readonly target: number
  /** true: the value stands in the folders of the file's path */
  readonly isPartition: boolean
  readonly children: readonly MappedNode[]
}

/** Top-level nodes by the id of the mapping. */
export async function loadMappings(
  catalog: Catalog,
  ids: readonly number[],
): Promise<Map<number, readonly MappedNode[]>> {
  if (ids.length === 0) return new Map()
  const list = ids.join(', ')
  const known = await catalog.query(
    `SELECT mapping_id FROM ${catalog.view('column_mapping')} WHERE mapping_id IN (${list})`,
  )
  const rows = await catalog.query(
    `SELECT mapping_id, column_id, source_name, target_field_id, parent_column, coalesce(is_partition, false)
     FROM ${catalog.view('name_mapping')} WHERE mapping_id IN (${list}) ORDER BY mapping_id, column_id`,
  )
  return new Map(
    known.map(([id]) => {
      const own = rows.filter((row) => row[0] === id)
      const build = (parent: unknown, depth: number): MappedNode[] =>
        own
          .filter((row) => row[4] === parent && depth < own.length)
          .map((row) => ({
            name: String(row[2]),
            target: safeNumber(row[3]),
            isPartition: row[5] === true,
            children: build(row[1], depth + 1),
          }))
      return [safeNumber(id), build(null, 0)] as const
    }),
  )
}

/**
 * The value of a partition column in the folders of a path: `region=a%20b` decoded once.
 *
 * @returns undefined where no folder names the column; null for the folder of NULL
 */
export function hivePartitionValue(path: string, name: string): string | null | undefined {
  for (const segment of path.split('/').slice(0, -1).reverse()) {
    const cut = segment.indexOf('=')
    if (cut < 0 || decode(segment.slice(0, cut)).toLowerCase() !== name.toLowerCase()) continue
    const value = segment.slice(cut + 1)
    return value === '__HIVE_DEFAULT_PARTITION__' ? null : decode(value)
  }
  return undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
