/** Cuts a script into its statements. */
import { isDeltaError } from '../errors/index.ts'
import { tokensFrom as sparkTokens } from '../expressions/index.ts'
import { QUERY_WORDS } from './query-words.ts'
import { tokensFrom as queryTokens } from './tokens.ts'

/** A statement of a script, and where it begins in it. */
export interface ScriptPart {
  readonly text: string
  readonly start: number
}

/** First tokens of a query, whose texts and names are quoted as DuckDB quotes them. */
const QUERY_BEGINNINGS: ReadonlySet<string> = new Set([...QUERY_WORDS, '('])

/**
 * The statements of a text, without their semicolons; a semicolon in a string, a name or a comment does not count.
 * Statements with nothing but blanks and comments are left out. What does not end (a string, a comment) is the last part,
 * to be refused when it is read.
 */
export function splitStatements(sql: string): readonly ScriptPart[] {
  const parts: ScriptPart[] = []
  let at = 0
  while (at < sql.length) {
    const { start, end, next } = nextStatement(sql, at)
    if (start !== undefined) parts.push({ text: sql.slice(start, end), start })
    at = next
  }
  return parts
}

interface Stretch {
  /** undefined where there is nothing but blanks */
  readonly start: number | undefined
  readonly end: number
  /** behind the semicolon */
  readonly next: number
}

function nextStatement(sql: string, from: number): Stretch {
  let start: number | undefined
  let end = from
  try {
    for (const { text, start: tokenStart, end: tokenEnd } of tokensOf(sql, from)) {
      if (text === ';' && tokenEnd === tokenStart + 1) return { start, end, next: tokenEnd }
      start ??= tokenStart
      end = tokenEnd
    }
  } catch (error) {
    if (!isDeltaError(error)) throw error
    return { start: start ?? from, end: sql.length, next: sql.length }
  }
  return { start, end, next: sql.length }
}

function tokensOf(sql: string, from: number): Iterable<{ text: string; start: number; end: number }> {
  const [first] = sparkTokens(sql, from)
  return QUERY_BEGINNINGS.has(first?.key ?? '') ? queryTokens(sql, from) : sparkTokens(sql, from)
}
