/**
 * SQL text cut into tokens, as DuckDB reads it, with Spark's backticks: enough to split scripts and to find tables in a
 * SELECT without understanding the rest of it.
 */
import { syntaxError } from '../expressions/index.ts'

export interface Token {
  readonly kind: 'word' | 'quoted' | 'backtick' | 'string' | 'number' | 'symbol'
  /** as written; of `quoted`, `backtick` and `string` the content without its quotes */
  readonly text: string
  /** UTF-16 offsets, the end left out */
  readonly start: number
  readonly end: number
}

const SPACE = /(?:\s|--[^\n]*)+/y
const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy
const NUMBER = /(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][-+]?\d+)?/y
const DOLLAR = /\$([\p{L}_][\p{L}\p{N}_]*)?\$/uy

/**
 * The tokens of a text; comments and blanks are left out.
 *
 * @throws DeltaError `PARSE_SYNTAX_ERROR` where a string, a quoted name or a comment does not end
 */
export function tokenize(sql: string): readonly Token[] {
  return [...tokensFrom(sql, 0)]
}

/** The tokens from an offset on, one by one. */
export function* tokensFrom(sql: string, start: number): Generator<Token, void, undefined> {
  let at = skipBlank(sql, start)
  while (at < sql.length) {
    const token = readToken(sql, at)
    yield token
    at = skipBlank(sql, token.end)
  }
}

export function isSymbol(token: Token | undefined, symbol: string): boolean {
  return token?.kind === 'symbol' && token.text === symbol
}

function readToken(sql: string, start: number): Token {
  const first = sql[start]
  if (first === "'") return readQuoted(sql, start, start, "'", 'string')
  if (first === '"') return readQuoted(sql, start, start, '"', 'quoted')
  if (first === '`') return readQuoted(sql, start, start, '`', 'backtick')
  if (/[eE]/.test(first ?? '') && sql[start + 1] === "'") return readEscaped(sql, start)
  const dollar = matchAt(DOLLAR, sql, start)
  if (dollar !== undefined) return readDollar(sql, start, dollar)
  const word = matchAt(WORD, sql, start)
  if (word !== undefined) return { kind: 'word', text: word, start, end: start + word.length }
  const number = matchAt(NUMBER, sql, start)
  if (number !== undefined) return { kind: 'number', text: number, start, end: start + number.length }
  return { kind: 'symbol', text: first ?? '', start, end: start + 1 }
}

/** A quote inside is doubled. */
function readQuoted(sql: string, start: number, open: number, quote: string, kind: Token['kind']): Token {
  let end = open + 1
  for (;;) {
    end = sql.indexOf(quote, end)
    if (end === -1) throw unfinished(sql, start, kind === 'string' ? 'string' : 'quoted name')
    if (sql[end + 1] !== quote) break
    end += 2
  }
  const text = sql.slice(open + 1, end).replaceAll(quote + quote, quote)
  return { kind, text, start, end: end + 1 }
}

/** `E'…'`: a backslash escapes the next character. Its text is kept as written, for nobody here reads it. */
function readEscaped(sql: string, start: number): Token {
  const match = matchAt(/[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y, sql, start)
  if (match === undefined) throw unfinished(sql, start, 'string')
  return { kind: 'string', text: match.slice(2, -1), start, end: start + match.length }
}

function readDollar(sql: string, start: number, tag: string): Token {
  const end = sql.indexOf(tag, start + tag.length)
  if (end === -1) throw unfinished(sql, start, 'string')
  return { kind: 'string', text: sql.slice(start + tag.length, end), start, end: end + tag.length }
}

function skipBlank(sql: string, from: number): number {
  let at = from
  for (;;) {
    at += matchAt(SPACE, sql, at)?.length ?? 0
    if (!sql.startsWith('/*', at)) return at
    at = skipComment(sql, at)
  }
}

/** Comments nest. */
function skipComment(sql: string, start: number): number {
  let depth = 0
  for (let at = start; at < sql.length; at++) {
    if (sql.startsWith('/*', at)) {
      depth++
      at++
    } else if (sql.startsWith('*/', at)) {
      depth--
      at++
      if (depth === 0) return at + 1
    }
  }
  throw unfinished(sql, start, 'comment')
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

function unfinished(sql: string, at: number, what: string) {
  return syntaxError(sql, at, `the end of the ${what} that begins here`)
}
