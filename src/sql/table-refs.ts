/**
 * Finds the Delta tables a SELECT reads and gives each a name that DuckDB knows.
 *
 * A SELECT is DuckDB's own; only its tables are ours: ``delta.`path` ``, a table's name, and either with
 * `VERSION AS OF n`, `TIMESTAMP AS OF '…'` or `@v3`; `table_changes('t', from, to)` and `table_changes_by_path('path', …)`.
 * Everything else in the text stays as written.
 */
import { deltaError } from '../errors/index.ts'
import { syntaxError } from '../expressions/index.ts'
import { type ChangesRef, readChanges } from './table-changes.ts'
import { millisOf } from './time-text.ts'
import { isSymbol, type Token, tokenize } from './tokens.ts'

/** Which version of a table is meant. */
export interface TableTime {
  readonly version?: number
  readonly timestampMs?: number
}

export interface TableRef extends TableTime {
  /** a path where `byPath`, else the name as written, parts joined by dots */
  readonly table: string
  readonly byPath: boolean
  /** the name the rewritten text uses for it */
  readonly view: string
}

export interface RewrittenSelect {
  readonly sql: string
  readonly refs: readonly TableRef[]
  readonly changes: readonly ChangesRef[]
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
  /** of a table that stands before a column: its text is known when all tables are */
  readonly path?: string
}

/**
 * Rewrites the tables of a SELECT.
 *
 * @param isTable whether a name, compared without case, is one of the session's tables
 * @throws DeltaError `PARSE_SYNTAX_ERROR` where a time travel clause is malformed
 */
export function rewriteTables(sql: string, isTable: (name: string) => boolean): RewrittenSelect {
  const tokens = tokenize(sql)
  const refs: TableRef[] = []
  const changes: ChangesRef[] = []
  const edits: Edit[] = []
  for (let i = 0; i < tokens.length; i++) {
    const call = readChanges(sql, tokens, i)
    if (call !== undefined) {
      const view = (kind: string) => `__changes_${changes.length}_${kind}`
      const views = { recorded: view('recorded'), inferred: view('inferred') }
      changes.push({ ...call.ref, views })
      const alias = hasAlias(tokens[call.next]) ? '' : ` AS "${tokens[i]!.text}"`
      const text = `(SELECT * FROM "${views.recorded}" UNION ALL SELECT * FROM "${views.inferred}")${alias}`
      edits.push({ start: tokens[i]!.start, end: tokens[call.next - 1]!.end, text })
      i = call.next - 1
      continue
    }
    const found = longestName(tokens, readName(tokens, i), isTable)
    if (found === undefined) {
      const edit = respelled(tokens, i)
      if (edit !== undefined) edits.push(edit)
      continue
    }
    if (found.byPath && isSymbol(tokens[found.next], '.')) {
      edits.push({ start: tokens[i]!.start, end: tokens[found.next - 1]!.end, text: '', path: found.name })
      i = found.next - 1
      continue
    }
    const time = readTime(sql, tokens, found.next) ?? { ...found.time, next: found.next }
    const travels = time.version !== undefined || time.timestampMs !== undefined
    if (found.byPath || travels || isTable(found.name)) {
      if (found.last !== found.name && isSymbol(tokens[found.next], '.')) {
        edits.push({ start: tokens[i]!.start, end: tokens[found.next - 1]!.end, text: quoteName(found.last) })
        i = found.next - 1
        continue
      }
      const isOther = found.byPath || travels || found.last !== found.name
      const view = isOther ? `__table_${refs.length}` : found.name
      refs.push({ table: found.name, byPath: found.byPath, view, ...timeOf(time) })
      const needsAlias = !found.byPath && isOther && !hasAlias(tokens[time.next])
      const alias = needsAlias ? ` AS ${quoteName(found.last)}` : ''
      edits.push({ start: tokens[i]!.start, end: tokens[time.next - 1]!.end, text: quoteName(view) + alias })
      i = time.next - 1
    } else if (tokens[i]!.kind === 'backtick') edits.push(quotedEdit(tokens[i]!))
  }
  return {
    sql: applyEdits(
      sql,
      edits.map((edit) => namedByPath(edit, refs)),
    ),
    refs,
    changes,
  }
}

/** A path before a column stands for the table that is read by it. */
function namedByPath(edit: Edit, refs: readonly TableRef[]): Edit {
  if (edit.path === undefined) return edit
  const view = refs.find(({ byPath, table }) => byPath && table === edit.path)?.view ?? edit.path
  return { ...edit, text: quoteName(view) }
}

/** Spark's spelling of what DuckDB spells otherwise: a name in backticks behind a dot, a number with its type behind it. */
function respelled(tokens: readonly Token[], i: number): Edit | undefined {
  const [token, next] = [tokens[i]!, tokens[i + 1]]
  if (token.kind === 'backtick') return quotedEdit(token)
  if (token.kind !== 'number' || next?.kind !== 'word' || next.start !== token.end) return undefined
  const type = NUMBER_SUFFIXES.get(next.text.toUpperCase())
  if (type === undefined) return undefined
  return { start: token.start, end: next.end, text: type === '' ? token.text : `CAST(${token.text} AS ${type})` }
}

const NUMBER_SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['L', 'BIGINT'],
  ['S', 'SMALLINT'],
  ['Y', 'TINYINT'],
  ['D', 'DOUBLE'],
  ['F', 'FLOAT'],
  ['BD', ''],
])

/**
 * A query whose `*` leaves a column out that its tables have beside their own. A star behind a name, `t.*`, is let be.
 */
export function hideFromStars(sql: string, column: string): string {
  const tokens = tokenize(sql)
  const edits = tokens.flatMap((token, i): Edit[] => {
    const [previous, next] = [tokens[i - 1], tokens[i + 1]]
    const begins = ['select', 'distinct', 'all'].some((word) => isWord(previous, word)) || isSymbol(previous, ',')
    const changed = ['exclude', 'replace', 'rename', 'like', 'similar'].some((word) => isWord(next, word))
    const ends = next === undefined || next.kind === 'word' || isSymbol(next, ',') || isSymbol(next, ')')
    if (!isSymbol(token, '*') || !begins || changed || !ends) return []
    return [{ start: token.start, end: token.end, text: `COLUMNS(name -> name <> '${column}')` }]
  })
  return applyEdits(sql, edits)
}

function quotedEdit({ start, end, text }: Token): Edit {
  return { start, end, text: quoteName(text) }
}

interface FoundName {
  /** parts joined by dots */
  readonly name: string
  /** its last part */
  readonly last: string
  readonly byPath: boolean
  readonly time: TableTime
  /** index of the token behind the name */
  readonly next: number
}

function readName(tokens: readonly Token[], i: number): FoundName | undefined {
  const token = tokens[i]!
  const previous = tokens[i - 1]
  if (!isName(token) || (isSymbol(previous, '.') && previous?.end === token.start)) return undefined
  if (previous?.kind === 'number' && previous.end === token.start) return undefined
  if (isWord(token, 'delta') && isSymbol(tokens[i + 1], '.') && tokens[i + 2]?.kind === 'backtick') {
    const { base, time } = splitAt(tokens[i + 2]!.text)
    return { name: base, last: base, byPath: true, time, next: i + 3 }
  }
  const at = /^v(\d+)$/i.exec(tokens[i + 2]?.text ?? '')
  if (isSymbol(tokens[i + 1], '@') && at !== null && tokens[i + 1]!.start === token.end) {
    const time = { version: Number(at[1]) }
    return { name: token.text, last: token.text, byPath: false, time, next: i + 3 }
  }
  return { name: token.text, last: token.text, byPath: false, time: {}, next: i + 1 }
}

/** The name with the parts behind its dots, as many as make the name of a table. */
function longestName(
  tokens: readonly Token[],
  found: FoundName | undefined,
  isTable: (name: string) => boolean,
): FoundName | undefined {
  if (found === undefined || found.byPath || found.time.version !== undefined) return found
  let longest = found
  let { name, next } = found
  while (isSymbol(tokens[next], '.') && tokens[next + 1] !== undefined && isName(tokens[next + 1]!)) {
    const last = tokens[next + 1]!.text
    name = `${name}.${last}`
    next += 2
    if (isTable(name)) longest = { name, last, byPath: false, time: {}, next }
  }
  return longest
}

/** `path@v3` and `path@20240229120000000`. */
function splitAt(path: string): { base: string; time: TableTime } {
  const version = /^(.+)@v(\d{1,15})$/i.exec(path)
  if (version !== null) return { base: version[1]!, time: { version: Number(version[2]) } }
  const moment = /^(.+)@(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{3})$/.exec(path)
  if (moment === null) return { base: path, time: {} }
  const [, base, year, month, day, hour, minute, second, millisecond] = moment
  const ms = millisOf(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millisecond}Z`)
  return ms === undefined ? { base: path, time: {} } : { base: base!, time: { timestampMs: ms } }
}

/** `[FOR] [SYSTEM_]VERSION AS OF n` and `[FOR] TIMESTAMP|SYSTEM_TIME AS OF '…'`. */
function readTime(sql: string, tokens: readonly Token[], from: number): (TableTime & { next: number }) | undefined {
  const at = isWord(tokens[from], 'for') ? from + 1 : from
  if (!isWord(tokens[at + 1], 'as') || !isWord(tokens[at + 2], 'of')) return undefined
  const value = tokens[at + 3]
  if (isWord(tokens[at], 'version') || isWord(tokens[at], 'system_version')) {
    if (value?.kind === 'string' && !/^\d{1,15}$/.test(value.text)) {
      throw deltaError('DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE', { what: 'version', value: value.text })
    }
    if (value === undefined || !/^\d{1,15}$/.test(value.text)) throw expected(sql, value, 'a version number')
    return { version: Number(value.text), next: at + 4 }
  }
  if (!isWord(tokens[at], 'timestamp') && !isWord(tokens[at], 'system_time')) return undefined
  const typed = isWord(value, 'timestamp') || isWord(value, 'date')
  const literal = typed ? tokens[at + 4] : value
  const timestampMs = literal?.kind === 'string' ? millisOf(literal.text.trim()) : undefined
  if (timestampMs === undefined && literal?.kind === 'string') {
    throw deltaError('INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT', { expression: `"${literal.text}"` })
  }
  if (timestampMs === undefined) throw expected(sql, literal, "a time such as '2024-02-29 12:00:00'")
  return { timestampMs, next: typed ? at + 5 : at + 4 }
}

function timeOf({ version, timestampMs }: TableTime): TableTime {
  if (version !== undefined) return { version }
  return timestampMs === undefined ? {} : { timestampMs }
}

function expected(sql: string, token: Token | undefined, what: string) {
  return syntaxError(sql, token?.start ?? sql.length, what)
}

/** Words that cannot be an alias, so what stands before them has none. */
const AFTER_TABLE = new Set(
  (
    'where join inner left right full cross on using group order limit union except intersect having window qualify ' +
    'natural semi anti asof positional lateral tablesample offset fetch pivot unpivot select for'
  ).split(' '),
)

function hasAlias(next: Token | undefined): boolean {
  if (next === undefined || next.kind === 'symbol') return false
  return next.kind !== 'word' || !AFTER_TABLE.has(next.text.toLowerCase())
}

function isName(token: Token): boolean {
  return token.kind === 'word' || token.kind === 'backtick' || token.kind === 'quoted'
}

function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toLowerCase() === word
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function applyEdits(sql: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const { start, end, text } of edits) {
    result += sql.slice(at, start) + text
    at = end
  }
  return result + sql.slice(at)
}
