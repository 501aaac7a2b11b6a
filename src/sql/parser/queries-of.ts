/** The queries in a statement, whose grammar is the engine's. */
import type { QueryText, Statement } from './statement.ts'

/** A query before which named ones stand is left out: it cannot be read by itself. */
export function queriesOf(statement: Statement): readonly QueryText[] {
  switch (statement.kind) {
    case 'query':
    case 'describe query':
      return [statement.query]
    case 'create table':
      return statement.as === undefined ? [] : [statement.as]
    case 'insert':
      return 'text' in statement.source && statement.with === undefined ? [statement.source] : []
    case 'merge':
      return 'text' in statement.source && statement.with === undefined ? [statement.source] : []
    case 'vacuum':
      return statement.inventory !== undefined && 'text' in statement.inventory ? [statement.inventory] : []
    case 'explain':
      return queriesOf(statement.statement)
    default:
      return []
  }
}
