/** Names of columns, with or without the name of their table before them. Source: Spark's `AttributeSeq.resolve`. */
import { type DeltaError, deltaError } from '../../errors/index.ts'
import { foldCase, type StructField } from '../../schema/index.ts'
import type { BoundExpression } from '../expression.ts'
import type { Scope } from '../scope.ts'

interface Candidate {
  readonly scope: Scope
  readonly field: StructField
  readonly ordinal: number
}

/**
 * The column a path begins with, and the names of fields behind it.
 *
 * A first name that is a table's is read so, even where a struct of that name has such a field, as long as the table has
 * such a column.
 *
 * @throws DeltaError `AMBIGUOUS_REFERENCE` where several columns are meant, case apart; `UNRESOLVED_COLUMN.…`
 */
export function resolveColumn(
  scopes: readonly Scope[],
  path: readonly string[],
): { column: BoundExpression; rest: readonly string[] } {
  const [first, second] = path
  const named = second === undefined ? [] : candidates(scopes, second, first)
  const found = named.length > 0 ? named : candidates(scopes, first!)
  if (found.length > 1) throw ambiguous(path, found)
  const [candidate] = found
  if (candidate === undefined) throw unknownColumn(scopes, path)
  const { ordinal, field } = candidate
  return {
    column: { kind: 'column', ordinals: [ordinal], path: [field.name], type: field.type },
    rest: path.slice(named.length > 0 ? 2 : 1),
  }
}

function candidates(scopes: readonly Scope[], name: string, table?: string): Candidate[] {
  const found: Candidate[] = []
  let offset = 0
  for (const scope of scopes) {
    const inSight = scope.hidden !== true && (table === undefined || isNamed(scope, table))
    for (const [i, field] of inSight ? scope.schema.fields.entries() : []) {
      if (foldCase(field.name) === foldCase(name)) found.push({ scope, field, ordinal: offset + i })
    }
    offset += scope.schema.fields.length
  }
  return found
}

function isNamed(scope: Scope, name: string): boolean {
  return scope.name !== undefined && foldCase(scope.name) === foldCase(name)
}

function ambiguous(path: readonly string[], found: readonly Candidate[]): DeltaError {
  const candidates = found.map(({ scope, field }) => qualified(scope, field))
  return deltaError('AMBIGUOUS_REFERENCE', { name: path.join('.'), candidates })
}

function qualified({ name }: Scope, field: StructField): string {
  return name === undefined ? field.name : `${name}.${field.name}`
}

function unknownColumn(scopes: readonly Scope[], path: readonly string[]): DeltaError {
  const name = path.join('.')
  const columns = scopes.flatMap((scope) =>
    scope.hidden === true
      ? []
      : scope.schema.fields.map((field) => ({ name: field.name, text: qualified(scope, field) })),
  )
  if (columns.length === 0) return deltaError('UNRESOLVED_COLUMN.WITHOUT_SUGGESTION', { name })
  const isQualified = path.length > 1 && scopes.some((scope) => isNamed(scope, path[0]!))
  const proposal = nearest(path[isQualified ? 1 : 0]!, columns)
  const names = proposal.length < columns.length ? 'the names most like it are' : 'the columns are'
  return deltaError('UNRESOLVED_COLUMN.WITH_SUGGESTION', { name, names, proposal })
}

interface Proposal {
  readonly name: string
  readonly text: string
}

/** The five columns with the names most like one, best first. */
function nearest(name: string, columns: readonly Proposal[]): string[] {
  const distance = (other: string): number => editDistance(foldCase(name).slice(0, 64), foldCase(other).slice(0, 64))
  return columns
    .map(({ name, text }) => ({ text, away: distance(name) }))
    .sort((a, b) => a.away - b.away)
    .slice(0, 5)
    .map(({ text }) => text)
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
