/**
 * What a Parquet file holds, from its footer: names, field ids, nesting, types of leaves.
 *
 * Needed where names alone do not tell (tables mapped by id, structs that share no member with a file, variants), and
 * where nothing vouches for the types of a file.
 */
import type { DuckDBListValue, DuckDBStructValue } from '@duckdb/node-api'
import type { DuckSession, QueryOptions } from '../instance.ts'
import { pathList } from '../sql-text.ts'

export interface ShapeNode {
  readonly name: string
  readonly fieldId: number | undefined
  /** DuckDB's type of a leaf */
  readonly leafType: string | undefined
  /** whether the node stands any number of times in its parent */
  readonly repeated: boolean
  readonly children: readonly ShapeNode[]
}

interface FlatNode {
  readonly name: string
  readonly children: number
  readonly id: number | null
  readonly type: string | null
  readonly repeated: boolean
}

/** The top-level columns of each file, by its path; files of one shape have the same object. */
export async function readShapes(
  session: DuckSession,
  paths: readonly string[],
  options: QueryOptions,
): Promise<ReadonlyMap<string, readonly ShapeNode[]>> {
  const rows = await session.query(
    `SELECT nodes, list(file_name) FROM (
       SELECT file_name, list({name: name, children: coalesce(num_children, 0)::INTEGER, id: field_id::INTEGER,
         type: duckdb_type, repeated: repetition_type = 'REPEATED'} ORDER BY column_id) AS nodes
       FROM parquet_schema(${pathList([...new Set(paths)])}) GROUP BY file_name) GROUP BY nodes`,
    options,
  )
  const shapes = new Map<string, readonly ShapeNode[]>()
  for (const [nodes, files] of rows as [DuckDBListValue, DuckDBListValue][]) {
    const flat = nodes.items.map((node) => (node as DuckDBStructValue).entries as unknown as FlatNode)
    const { children } = unflatten(flat)
    for (const file of files.items) shapes.set(file as string, children)
  }
  return shapes
}

/** The footer lists nodes depth first, each with the number of its children. */
function unflatten(nodes: readonly FlatNode[]): ShapeNode {
  let next = 0
  const build = (): ShapeNode => {
    const { name, children: count, id, type, repeated } = nodes[next++]!
    const children: ShapeNode[] = []
    for (let i = 0; i < count; i++) children.push(build())
    return { name, fieldId: id ?? undefined, leafType: type ?? undefined, repeated: repeated === true, children }
  }
  return build()
}

/** The element of a list group, whether it is stored in three levels or, by old writers, in two or without a group. */
export function elementOf(list: ShapeNode): ShapeNode | undefined {
  if (list.repeated) return { ...list, repeated: false }
  const repeated = list.children[0]
  if (repeated === undefined) return undefined
  const threeLevels =
    repeated.children.length === 1 && repeated.name !== 'array' && repeated.name !== `${list.name}_tuple`
  return threeLevels ? repeated.children[0] : { ...repeated, repeated: false }
}

/** Key and value of a map group. */
export function entryOf(map: ShapeNode): { key: ShapeNode; value: ShapeNode } | undefined {
  const [key, value] = map.children[0]?.children ?? []
  return key === undefined || value === undefined ? undefined : { key, value }
}

/** A node's type as an error names it. */
export function describeNode({ leafType, children }: ShapeNode): string {
  return leafType ?? `a group of ${children.map((child) => child.name).join(', ')}`
}
