/** Names of columns written with the table's name or alias before them. */
import { type Expression, mapColumns } from '../../expressions/index.ts'
import { foldCase } from '../../schema/index.ts'
import type { TableTarget } from '../parser/index.ts'

export interface Named {
  readonly table: TableTarget
  readonly alias?: string
}

/** An expression over the columns alone. */
export function unqualified(expression: Expression, named: Named): Expression {
  return mapColumns(expression, (path) => unqualifiedPath(path, named))
}

export function unqualifiedPath(path: readonly string[], { table, alias }: Named): readonly string[] {
  const name = alias ?? ('parts' in table && !table.isPath ? table.parts.at(-1) : undefined)
  const isQualified = path.length > 1 && name !== undefined && foldCase(path[0]!) === foldCase(name)
  return isQualified ? path.slice(1) : path
}
