/**
 * Text cut into tokens as Spark's lexer cuts it.
 *
 * Digits may begin a name (`1_000` is one), a number's suffix is part of it (`5L`, `1.5BD`), `"x"` is a string, comments
 * nest, `--` runs to the end of the line. `<` and `>` are always single tokens, so that `array<array<int>>` closes; the
 * parser joins shifts again.
 */
import type { DeltaError } from '../../errors/index.ts'
import { errorAt, syntaxError } from './syntax-error.ts'

interface PlainToken {
  readonly kind: 'word' | 'name' | 'string' | 'raw' | 'number' | 'operator' | 'end'
  /** as written; a `name` without its backticks, a string with its quotes */
  readonly text: string
  /** upper case of a word, else the text: what keywords and operators are compared with */
  readonly key: string
  readonly start: number
  readonly end: number
}

/** A character that begins no token; whoever comes to it refuses it. */
interface StrayToken extends Omit<PlainToken, 'kind'> {
  readonly kind: 'stray'
  readonly refusal: () => DeltaError
}

export type Token = PlainToken | StrayToken

export interface TokenizeOptions {
  /** true: what is no token becomes a `stray` one instead of failing the whole text */
  readonly lenient?: boolean
}

/** Not the byte order mark, which Spark refuses. */
const BLANK = /[ \t\n\r\f\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/uy
const WORD = /[A-Za-z0-9_]+/y
const RAW_STRING = /[rR](?:'[^']*'|"[^"]*")/y
const STRING = /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"/y
const QUOTED = /`(?:[^`]|``)*`/y
const POINT_NUMBER = /(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?(?:[bB][dD]|[dDfF])?(?![A-Za-z0-9_])/y
const PLAIN_NUMBER = /\d+(?:[eE][+-]?\d+)?(?:[bB][dD]|[dDfFlLsSyY])?/y
const OPERATOR = /<=>|<>|!=|<=|>=|!<|!>|==|\|\||->|=>|::|[=<>+\-*/%~&|^()[\],.:!?;]/y
const MAX_TEXT = 4_000_000

/**
 * All tokens of a text, the last of kind `end`.
 *
 * @throws DeltaError `PARSE_SYNTAX_ERROR`, `UNCLOSED_BRACKETED_COMMENT`, `INVALID_IDENTIFIER`
 */
export function tokenize(text: string, { lenient = false }: TokenizeOptions = {}): Token[] {
  if (text.length > MAX_TEXT) throw syntaxError(text, MAX_TEXT, `at most ${MAX_TEXT} characters`)
  const tokens: Token[] = []
  for (const token of tokensFrom(text, 0)) {
    if (token.kind === 'stray' && !lenient) throw token.refusal()
    tokens.push(token)
  }
  tokens.push({ kind: 'end', text: '', key: '', start: text.length, end: text.length })
  return tokens
}

/**
 * The tokens from an offset on, one by one, strays among them and no end.
 *
 * @throws DeltaError `UNCLOSED_BRACKETED_COMMENT`
 */
export function* tokensFrom(text: string, start: number): Generator<Token, void, undefined> {
  let at = skipBlanks(text, start)
  while (at < text.length) {
    const token = readToken(text, at)
    yield token
    at = skipBlanks(text, token.end)
  }
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

function skipBlanks(text: string, start: number): number {
  let at = start
  for (;;) {
    const blank = match(BLANK, text, at)
    if (blank !== undefined) at += blank.length
    else if (text.startsWith('--', at)) at = skipLine(text, at)
    else if (text.startsWith('/*', at) && text[at + 2] !== '+') at = skipComment(text, at)
    else return at
  }
}

/** To the end of the line, or of the next one where it ends in a backslash. */
function skipLine(text: string, start: number): number {
  let at = text.indexOf('\n', start)
  while (at !== -1 && text[at - 1] === '\\') at = text.indexOf('\n', at + 1)
  return at === -1 ? text.length : at + 1
}

function skipComment(text: string, start: number): number {
  const mark = /\/\*|\*\//g
  mark.lastIndex = start
  let depth = 0
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1
    if (depth === 0) return mark.lastIndex
  }
  throw errorAt(text, start, 'UNCLOSED_BRACKETED_COMMENT', {})
}

function readToken(text: string, at: number): Token {
  const make = (kind: PlainToken['kind'], length: number, value = text.slice(at, at + length)): PlainToken => ({
    kind,
    text: value,
    key: kind === 'word' ? value.toUpperCase() : kind === 'operator' ? value : '',
    start: at,
    end: at + length,
  })
  const raw = match(RAW_STRING, text, at)
  if (raw !== undefined) return make('raw', raw.length)
  const word = match(WORD, text, at)
  const number = match(POINT_NUMBER, text, at) ?? match(PLAIN_NUMBER, text, at)
  if (number !== undefined && number.length >= (word?.length ?? 0)) return make('number', number.length)
  if (word !== undefined) return refuseLetterAfter(text, make('word', word.length))
  const string = match(STRING, text, at)
  if (string !== undefined) return make('string', string.length)
  const quoted = match(QUOTED, text, at)
  if (quoted !== undefined) return make('name', quoted.length, quoted.slice(1, -1).replaceAll('``', '`'))
  const operator = match(OPERATOR, text, at)
  if (operator !== undefined) return make('operator', operator.length)
  return stray(text, at, () => strangeCharacter(text, at))
}

function stray(text: string, start: number, refusal: () => DeltaError, length = 1): StrayToken {
  return { kind: 'stray', text: text.slice(start, start + length), key: '', start, end: start + length, refusal }
}

function refuseLetterAfter(text: string, token: PlainToken): Token {
  const rest = /^\p{L}[\p{L}\p{N}_]*/u.exec(text.slice(token.end, token.end + 100))
  if (rest === null) return token
  const name = token.text + rest[0]
  return stray(text, token.start, () => errorAt(text, token.start, 'INVALID_IDENTIFIER', { name }), name.length)
}

function strangeCharacter(text: string, at: number): DeltaError {
  const name = /^\p{L}[\p{L}\p{N}_]*/u.exec(text.slice(at, at + 100))
  if (name !== null) return errorAt(text, at, 'INVALID_IDENTIFIER', { name: name[0] })
  const quote = text[at]
  if (quote === "'" || quote === '"' || quote === '`') return syntaxError(text, at, `a closing ${quote}`)
  return syntaxError(text, at, 'an expression')
}
