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

export function unqualifiedPath(path: readonly string[], named: Named): readonly string[] {
  const name = namesOf(named).find((parts) => path.length > parts.length && startsWith(path, parts))
  return name === undefined ? path : path.slice(name.length)
}

/** What may stand before a column: the alias alone where there is one, else the table's name with as many parts as are told. */
function namesOf({ table, alias }: Named): readonly (readonly string[])[] {
  if (alias !== undefined) return [[alias]]
  if (!('parts' in table)) return []
  if (table.isPath) return [['delta', ...table.parts], table.parts]
  return table.parts.map((_, i) => table.parts.slice(i))
}

function startsWith(path: readonly string[], parts: readonly string[]): boolean {
  return parts.every((part, i) => foldCase(part) === foldCase(path[i]!))
}
