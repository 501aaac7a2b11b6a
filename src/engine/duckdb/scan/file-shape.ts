/**
 * What a Parquet file holds, from its footer: names, field ids and nesting.
 *
 * Needed only where names alone do not tell: tables mapped by id, structs that share no member with a file, variants.
 */
import type { DuckDBValue } from '@duckdb/node-api'
import type { DuckSession, QueryOptions } from '../instance.ts'
import { pathList } from '../sql-text.ts'

export interface ShapeNode {
  readonly name: string
  readonly fieldId: number | undefined
  /** DuckDB's type of a leaf */
  readonly leafType: string | undefined
  readonly children: readonly ShapeNode[]
}

interface FlatNode {
  readonly name: string
  readonly numChildren: number
  readonly fieldId: number | undefined
  readonly leafType: string | undefined
}

/** The top-level columns of each file, in the order of the paths. */
export async function readShapes(
  session: DuckSession,
  paths: readonly string[],
  options: QueryOptions,
): Promise<(readonly ShapeNode[])[]> {
  const rows = await session.query(
    `SELECT file_name, name, coalesce(num_children, 0)::INTEGER, field_id::INTEGER, duckdb_type
     FROM parquet_schema(${pathList([...new Set(paths)])})`,
    options,
  )
  const nodes = new Map<string, FlatNode[]>()
  for (const [file, ...node] of rows) {
    const list = nodes.get(file as string) ?? []
    list.push(flatNode(node))
    nodes.set(file as string, list)
  }
  return paths.map((path) => unflatten(nodes.get(path)!).children)
}

function flatNode([name, numChildren, fieldId, leafType]: DuckDBValue[]): FlatNode {
  return {
    name: name as string,
    numChildren: numChildren as number,
    fieldId: (fieldId as number | null) ?? undefined,
    leafType: (leafType as string | null) ?? undefined,
  }
}

/** The footer lists nodes depth first, each with the number of its children. */
function unflatten(nodes: readonly FlatNode[]): ShapeNode {
  let next = 0
  const build = (): ShapeNode => {
    const { name, numChildren, fieldId, leafType } = nodes[next++]!
    const children: ShapeNode[] = []
    for (let i = 0; i < numChildren; i++) children.push(build())
    return { name, fieldId, leafType, children }
  }
  return build()
}

/** The element of a list group, whether it is stored in three levels or, by old writers, in two. */
export function elementOf(list: ShapeNode): ShapeNode | undefined {
  const repeated = list.children[0]
  if (repeated === undefined) return undefined
  const threeLevels =
    repeated.children.length === 1 && repeated.name !== 'array' && repeated.name !== `${list.name}_tuple`
  return threeLevels ? repeated.children[0] : repeated
}

/** Key and value of a map group. */
export function entryOf(map: ShapeNode): { key: ShapeNode; value: ShapeNode } | undefined {
  const [key, value] = map.children[0]?.children ?? []
  return key === undefined || value === undefined ? undefined : { key, value }
}
