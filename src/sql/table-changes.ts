/** Reads calls of `table_changes` and `table_changes_by_path` in a SELECT. */
import { syntaxError } from '../expressions/index.ts'
import type { ChangeBound } from '../kernel/index.ts'
import { millisOf } from './time-text.ts'
import { isSymbol, type Token, tokenize } from './tokens.ts'

/** `table_changes(…)`: what changed in a table. */
export interface ChangesRef {
  readonly table: string
  readonly byPath: boolean
  readonly from: ChangeBound
  readonly to?: ChangeBound
  /** the name the rewritten text uses for it; what follows from the log and what was recorded are two views */
  readonly views: Readonly<Record<'recorded' | 'inferred', string>>
}

export interface ChangesCall {
  readonly ref: Omit<ChangesRef, 'views'>
  /** index of the token behind the call */
  readonly next: number
}

/**
 * `table_changes(table, from [, to])`: the table is a text, which holds a name or ``delta.`path` ``; an end is a version
 * or a text with a time.
 *
 * @returns undefined where the token begins no such call
 * @throws DeltaError `PARSE_SYNTAX_ERROR` where the call is malformed
 */
export function readChanges(sql: string, tokens: readonly Token[], at: number): ChangesCall | undefined {
  const name = tokens[at]!
  const match = name.kind === 'word' ? /^table_changes(_by_path)?$/i.exec(name.text) : null
  if (match === null || !isSymbol(tokens[at + 1], '(')) return undefined
  const table = tokens[at + 2]
  if (table?.kind !== 'string') throw expected(sql, table, "the table as a text, such as 'orders'")
  let next = at + 3
  const bounds: ChangeBound[] = []
  while (isSymbol(tokens[next], ',')) {
    bounds.push(readBound(sql, tokens[next + 1]))
    next += 2
  }
  const [from, to] = bounds
  if (from === undefined) throw expected(sql, tokens[next], 'the first version or a time')
  if (!isSymbol(tokens[next], ')') || bounds.length > 2) throw expected(sql, tokens[next], "')'")
  const place = match[1] === undefined ? placeOf(sql, table) : { table: table.text, byPath: true }
  return { ref: { ...place, from, ...(to !== undefined && { to }) }, next: next + 1 }
}

function placeOf(sql: string, { text, start }: Token): Pick<ChangesRef, 'table' | 'byPath'> {
  const [first, dot, path] = tokenize(text)
  const isPath = first?.text.toLowerCase() === 'delta' && isSymbol(dot, '.') && path?.kind === 'backtick'
  if (isPath) return { table: path.text, byPath: true }
  if (first === undefined) throw syntaxError(sql, start, 'the name of a table')
  return { table: dot === undefined ? first.text : text, byPath: false }
}

function readBound(sql: string, token: Token | undefined): ChangeBound {
  if (token?.kind === 'number' && /^\d{1,15}$/.test(token.text)) return { version: Number(token.text) }
  const timestampMs = token?.kind === 'string' ? millisOf(token.text.trim()) : undefined
  if (timestampMs === undefined) throw expected(sql, token, "a version number or a time such as '2024-02-29 12:00:00'")
  return { timestampMs }
}

function expected(sql: string, token: Token | undefined, what: string) {
  return syntaxError(sql, token?.start ?? sql.length, what)
}
