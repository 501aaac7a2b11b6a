/**
 * SQL that turns the columns of a file into the columns of the table at a snapshot.
 *
 * Parts are matched by field id, by a name mapping, or by name where a file has neither; what the file lacks reads as
 * the initial default; what it has in another type is cast. Nested values are rebuilt only where a part moves.
 */
import { quoteIdent, quoteLiteral } from '../../engine/duckdb/index.ts'
import { columnSqlType, type LakeColumn } from '../snapshot/columns.ts'
import { sameName } from '../snapshot/names.ts'
import type { ShapeNode } from './file-shape.ts'
import type { MappedNode } from './name-mapping.ts'

/** How the parts of a file are found. */
export type Matching =
  | { readonly by: 'id' }
  | { readonly by: 'name' }
  | { readonly by: 'mapping'; readonly nodes: readonly MappedNode[] }

export interface ColumnSource {
  readonly columns: readonly ShapeNode[]
  readonly matching: Matching
  /** SQL of a top-level column of the file */
  readonly sqlOf: (node: ShapeNode) => string
  /** for messages */
  readonly table: string
}

/** The value of a top-level column of the table, in the column's type. */
export function columnSql(column: LakeColumn, source: ColumnSource): string {
  const target = columnSqlType(column, source.table)
  const match = findPart(column, source.columns, source.matching)
  if (match === undefined) return initialDefault(column, target)
  return converted(source.sqlOf(match.node), match, { column, table: source.table, depth: 0 })
}

/** What a row reads in a column it was written without. */
export function initialDefault(column: LakeColumn, target: string): string {
  return column.initialDefault === undefined
    ? `NULL::${target}`
    : `CAST(${quoteLiteral(column.initialDefault)} AS ${target})`
}

interface Match {
  readonly node: ShapeNode
  readonly matching: Matching
}

interface Target {
  readonly column: LakeColumn
  readonly table: string
  readonly depth: number
}

function findPart(column: LakeColumn, nodes: readonly ShapeNode[], matching: Matching): Match | undefined {
  if (matching.by === 'mapping') {
    const mapped = matching.nodes.find(({ target }) => target === column.id)
    const node = mapped && findName(nodes, mapped.name)
    return node && { node, matching: { by: 'mapping', nodes: mapped.children } }
  }
  const node = matching.by === 'id' ? nodes.find(({ fieldId }) => fieldId === column.id) : findName(nodes, column.name)
  return node && { node, matching }
}

function findName(nodes: readonly ShapeNode[], name: string): ShapeNode | undefined {
  return nodes.find((node) => node.name === name) ?? nodes.find((node) => sameName(node.name, name))
}

function converted(sql: string, match: Match, target: Target): string {
  const type = columnSqlType(target.column, target.table)
  if (isSame(target.column, match))
    return target.column.type === 'variant' ? variantSql(sql, match.node) : cast(sql, type, match.node)
  const { column } = target
  if (column.type === 'struct' && match.node.kind === 'struct') return structSql(sql, match, target)
  if (column.type === 'list' && match.node.kind === 'list') return listSql(sql, match, target)
  if (column.type === 'map' && match.node.kind === 'map') return mapSql(sql, match, target)
  if (column.type === 'variant') return variantSql(sql, match.node)
  return cast(sql, type, match.node)
}

/** A cast that is none would only keep DuckDB from looking at statistics. */
function cast(sql: string, type: string, node: ShapeNode): string {
  const given = node.sqlType?.replace('TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ')
  return node.kind === 'leaf' && given === type ? sql : `CAST(${sql} AS ${type})`
}

/** Files of other writers hold the two binaries of a variant as a plain struct. */
function variantSql(sql: string, node: ShapeNode): string {
  const isPlain = node.kind === 'struct' && node.children.length === 2
  if (isPlain)
    return `CASE WHEN ${sql} IS NOT NULL THEN variant_bytes_to_variant((${sql}).metadata || (${sql})."value") END`
  return `CAST(${sql} AS VARIANT)`
}

/** Whether the value has the column's parts under their names, in order, so that a cast alone gives it. */
function isSame(column: LakeColumn, { node, matching }: Match): boolean {
  if (column.type === 'variant') return true
  if (column.children.length === 0) return node.kind === 'leaf'
  if (column.type !== node.kind || column.children.length !== node.children.length) return false
  return column.children.every((child, i) => {
    const given = node.children[i]!
    const part = column.type === 'struct' ? findPart(child, node.children, matching) : inner(child, given, matching)
    if (part?.node !== given || child.type === 'variant') return false
    return (column.type !== 'struct' || given.name === child.name) && isSame(child, part)
  })
}

/** The one part of a list, or one of the two of a map: found by its place, whatever it is called. */
function inner(child: LakeColumn, node: ShapeNode, matching: Matching): Match {
  if (matching.by !== 'mapping') return { node, matching }
  const mapped = matching.nodes.find(({ target }) => target === child.id) ?? matching.nodes[0]
  return { node, matching: { by: 'mapping', nodes: mapped?.children ?? [] } }
}

function structSql(sql: string, { node, matching }: Match, target: Target): string {
  const members = target.column.children.map((child) => {
    const part = findPart(child, node.children, matching)
    const value =
      part === undefined
        ? initialDefault(child, columnSqlType(child, target.table))
        : converted(`struct_extract(${sql}, ${quoteLiteral(part.node.name)})`, part, { ...target, column: child })
    return `${quoteIdent(child.name)} := ${value}`
  })
  return `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`
}

function listSql(sql: string, { node, matching }: Match, target: Target): string {
  const item = `x${target.depth}`
  const [child] = target.column.children
  const part = inner(child!, node.children[0]!, matching)
  const value = converted(item, part, { ...target, column: child!, depth: target.depth + 1 })
  return `list_transform(${sql}, lambda ${item}: ${value})`
}

function mapSql(sql: string, { node, matching }: Match, target: Target): string {
  const item = `x${target.depth}`
  const [key, value] = target.column.children.map((child, i) => {
    const nodes = matching.by === 'mapping' ? matching.nodes : []
    const mapped = nodes.find((entry) => entry.target === child.id) ?? nodes[i]
    const part: Match = {
      node: node.children[i]!,
      matching: matching.by === 'mapping' ? { by: 'mapping', nodes: mapped?.children ?? [] } : matching,
    }
    const name = i === 0 ? 'key' : 'value'
    return converted(`struct_extract(${item}, '${name}')`, part, { ...target, column: child, depth: target.depth + 1 })
  })
  const entries = `list_transform(map_entries(${sql}), lambda ${item}: struct_pack("key" := ${key}, "value" := ${value}))`
  return `CASE WHEN ${sql} IS NOT NULL THEN map_from_entries(${entries}) END`
}
