/** What statements are made of: names, paths of columns, properties, aliases, versions and times, bodies of queries. */
import type { DeltaError, ErrorCode, ErrorDetails } from '../../errors/index.ts'
import { type Expression, ExpressionParser, syntaxError, type TokenReader } from '../../expressions/index.ts'
import { QUERY_WORDS } from '../query-words.ts'
import { isSymbol, tokenize } from '../tokens.ts'
import type {
  AssignedValue,
  Assignment,
  ColumnPath,
  PartitionSpec,
  Properties,
  QueryText,
  TableTarget,
  TimeTravel,
} from './statement.ts'

/** Words that are never the alias of a table. */
const NO_ALIAS = new Set([
  ...['ANTI', 'CROSS', 'EXCEPT', 'FULL', 'INNER', 'INTERSECT', 'JOIN', 'LATERAL', 'LEFT', 'NATURAL', 'ON', 'RIGHT'],
  ...['SEMI', 'MINUS', 'UNION', 'USING', 'WHERE', 'SET', 'WHEN'],
])
const MAX_VERSION_DIGITS = 15

export class StatementReader {
  readonly text: string
  readonly expressions: ExpressionParser
  readonly tokens: TokenReader

  constructor(text: string) {
    this.text = text
    this.expressions = new ExpressionParser(text, { keepsForeign: true })
    this.tokens = this.expressions.reader
  }

  /** Text between two offsets, as written. */
  textFrom(start: number): string {
    return this.text.slice(start, this.tokens.end)
  }

  expression(): Expression {
    return this.expressions.readExpression()
  }

  /** An expression and its text, which a table keeps as it is. */
  keptExpression(statement: string): { expression: Expression; text: string } {
    const { start } = this.tokens.peek()
    const expression = this.expression()
    this.refuseParameters(start, statement)
    return { expression, text: this.textFrom(start) }
  }

  private refuseParameters(start: number, statement: string): void {
    const parameter = new StatementReader(this.textFrom(start)).findParameter()
    if (parameter === undefined) return
    throw this.error(start + parameter.at, 'UNSUPPORTED_FEATURE.PARAMETER_MARKER_IN_UNEXPECTED_STATEMENT', {
      name: parameter.name,
      statement,
    })
  }

  private findParameter(): { at: number; name: string } | undefined {
    const { tokens } = this
    for (; !tokens.atEnd(); tokens.next()) {
      const token = tokens.peek()
      if (token.key === '?') return { at: token.start, name: '?' }
      const next = tokens.peek(1)
      const isPath = tokens.place > 0 && token.start === tokens.end
      if (token.key === ':' && next.kind === 'word' && !isPath) {
        return { at: token.start, name: `:${next.text}` }
      }
    }
    return undefined
  }

  where(): { where: Expression } | Record<string, never> {
    return this.tokens.takeWord('WHERE') ? { where: this.expression() } : {}
  }

  /** @param options.text whether a text in quotes, which is a path, may stand for the name */
  table(options: { readonly text?: boolean } = {}): TableTarget {
    const { tokens } = this
    const { start } = tokens.peek()
    if (options.text && tokens.atString()) {
      return { parts: [tokens.expectString('a path')], isPath: true, span: { start, end: tokens.end } }
    }
    if (tokens.atWord('IDENTIFIER') && tokens.atOperator('(', 1)) return this.computedName(start)
    const parts = this.parts('the name of a table')
    return { parts, isPath: false, span: { start, end: tokens.end } }
  }

  private computedName(start: number): TableTarget {
    this.tokens.next()
    this.tokens.expectOperator('(')
    const computed = this.expression()
    this.tokens.expectOperator(')')
    return { computed, span: { start, end: this.tokens.end } }
  }

  /** Names with dots between. */
  parts(what: string): readonly string[] {
    const { start } = this.tokens.peek()
    const names = [this.tokens.expectName(what)]
    while (this.tokens.takeOperator('.')) names.push(this.tokens.expectName('a name'))
    this.refuseDash(start)
    return names
  }

  /** `my-orders`: a name that needs backticks. */
  private refuseDash(start: number): void {
    const { tokens } = this
    const [dash, rest] = [tokens.peek(), tokens.peek(1)]
    const touches = dash.start === tokens.end && rest.start === dash.end
    if (!tokens.atOperator('-') || !touches || rest.kind !== 'word') return
    throw this.error(start, 'INVALID_IDENTIFIER', { name: this.text.slice(start, rest.end) })
  }

  column(): ColumnPath {
    return this.parts('the name of a column')
  }

  /** `(a, b.c)` */
  columns(): readonly ColumnPath[] {
    return this.bracketed(() => this.column())
  }

  /** `(…, …)`, at least one. */
  bracketed<T>(read: () => T): T[] {
    this.tokens.expectOperator('(')
    const items = this.list(read)
    this.tokens.expectOperator(')')
    return items
  }

  list<T>(read: () => T): T[] {
    const items = [read()]
    for (;;) {
      const { start } = this.tokens.peek()
      if (!this.tokens.takeOperator(',')) return items
      const ends = this.tokens.atEnd() || this.tokens.atOperator(';')
      if (ends) throw syntaxError(this.text, start, 'the end of the statement, or something behind the comma')
      items.push(read())
    }
  }

  /** `[AS] name` of a table. */
  alias(): { alias: string } | Record<string, never> {
    const { tokens } = this
    if (tokens.takeWord('AS')) return { alias: this.strictName('an alias') }
    const { kind, key } = tokens.peek()
    if (kind === 'name' || (kind === 'word' && !NO_ALIAS.has(key))) return { alias: tokens.expectName('an alias') }
    return {}
  }

  private strictName(what: string): string {
    const { kind, key } = this.tokens.peek()
    if (kind === 'word' && NO_ALIAS.has(key)) throw this.tokens.unexpected(what)
    return this.tokens.expectName(what)
  }

  ifExists(): boolean {
    return this.tokens.takeWords('IF', 'EXISTS')
  }

  ifNotExists(): boolean {
    return this.tokens.takeWords('IF', 'NOT', 'EXISTS')
  }

  string(what: string): string {
    return this.tokens.expectString(what)
  }

  /** `(a.b = 'c', 'd' 2)` */
  properties(): Properties {
    const { start } = this.tokens.peek()
    const properties = new Map<string, string>()
    for (const { key, value } of this.bracketed(() => this.property())) {
      if (properties.has(key)) throw this.error(start, 'DUPLICATE_KEY', { key })
      properties.set(key, value)
    }
    return properties
  }

  /** Properties of a table: those that name its owner or place are not for setting. */
  tableProperties(): Properties {
    const { start } = this.tokens.peek()
    const properties = this.properties()
    for (const [property, reason] of RESERVED_PROPERTIES) {
      if (properties.has(property)) {
        throw this.error(start, 'UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY', { property, reason })
      }
    }
    return properties
  }

  /** `('a', b.c)` */
  propertyKeys(): readonly string[] {
    return this.bracketed(() => this.propertyKey())
  }

  propertyKey(): string {
    return this.tokens.atString() ? this.tokens.expectOneString('a key') : this.parts('a key').join('.')
  }

  private property(): { key: string; value: string } {
    const key = this.propertyKey()
    if (!this.tokens.takeOperator('=')) this.tokens.takeOperator('==')
    return { key, value: this.propertyValue() }
  }

  private propertyValue(): string {
    const { tokens } = this
    if (tokens.atString()) return this.string('a value')
    const token = tokens.peek()
    if (token.kind === 'number') return tokens.next().text
    if (token.key === 'TRUE' || token.key === 'FALSE') return tokens.next().text.toLowerCase()
    const names = token.key === ':' && tokens.peek(1).kind === 'word'
    if (token.key === '?' || names) {
      const name = names ? `:${tokens.peek(1).text}` : '?'
      throw this.error(token.start, 'UNEXPECTED_USE_OF_PARAMETER_MARKER', { name })
    }
    throw tokens.unexpected('a text, a number, TRUE or FALSE')
  }

  /** `[FOR] VERSION AS OF 3`, `[FOR] TIMESTAMP AS OF '…'`; undefined (nothing taken) where there is none. */
  timeTravel(): TimeTravel | undefined {
    const { tokens } = this
    const place = tokens.place
    tokens.takeWord('FOR')
    if (tokens.takeWords('VERSION', 'AS', 'OF') || tokens.takeWords('SYSTEM_VERSION', 'AS', 'OF')) {
      return { version: this.version() }
    }
    if (tokens.takeWords('TIMESTAMP', 'AS', 'OF') || tokens.takeWords('SYSTEM_TIME', 'AS', 'OF')) {
      return { timestamp: this.time() }
    }
    tokens.moveTo(place)
    return undefined
  }

  private version(): number {
    const token = this.tokens.peek()
    const isWhole = token.kind === 'number' && /^\d+$/.test(token.text)
    if (!isWhole || token.text.length > MAX_VERSION_DIGITS) throw this.tokens.unexpected('a version, a whole number')
    this.tokens.next()
    return Number(token.text)
  }

  private time(): Expression {
    const { start } = this.tokens.peek()
    const value = this.string("a time such as '2024-02-29 12:00:00'")
    return this.expressions.build.text(value, { start, end: this.tokens.end })
  }

  /** `(country = 'FR', month)` */
  partition(): PartitionSpec {
    return this.bracketed(() => {
      const column = this.tokens.expectName('the name of a partition column')
      const given = this.tokens.takeOperator('=') || this.tokens.takeOperator('==')
      return { column, value: given ? this.constant() : undefined }
    })
  }

  private constant(): Expression {
    const value = this.expressions.readValue(Number.POSITIVE_INFINITY)
    if (value.kind === 'literal' || value.kind === 'parameter' || value.kind === 'column') return value
    throw this.tokens.unexpected("a constant, ',' or ')'")
  }

  assignments(): readonly Assignment[] {
    return this.list(() => {
      const { tokens } = this
      const isClause = tokens.atWord('WHERE') || tokens.atWord('WHEN')
      if (isClause && !tokens.atOperator('=', 1) && !tokens.atOperator('.', 1)) throw tokens.unexpected('a column')
      const column = this.column()
      if (!tokens.takeOperator('=') && !tokens.takeOperator('==')) throw tokens.unexpected("'='")
      return { column, value: this.assigned() }
    })
  }

  /** A value given to a column: an expression or the word DEFAULT. */
  assigned(): AssignedValue {
    const next = this.tokens.peek(1)
    const stands = next.kind !== 'operator' || [',', ')', ';'].includes(next.key)
    if (!stands || !this.tokens.atWord('DEFAULT')) return this.expression()
    this.tokens.next()
    return 'default'
  }

  /** Whether a query begins here. */
  atQuery(): boolean {
    let ahead = 0
    while (this.tokens.atOperator('(', ahead)) ahead++
    return QUERY_WORDS.some((word) => this.tokens.atWord(word, ahead))
  }

  /** The query from here to the end of the statement. */
  queryToEnd(): QueryText {
    if (!this.atQuery()) throw this.tokens.unexpected('a query')
    const { start } = this.tokens.peek()
    let end = start
    for (const token of tokenize(this.text.slice(start))) if (!isSymbol(token, ';')) end = start + token.end
    while (!this.tokens.atEnd()) this.tokens.next()
    return { text: this.text.slice(start, end), start }
  }

  /** `( query )`: the text between the brackets. */
  bracketedQuery(): QueryText {
    this.tokens.expectOperator('(')
    if (!this.atQuery()) throw this.tokens.unexpected('a query')
    const { start } = this.tokens.peek()
    const end = this.closingBracket(start)
    while (this.tokens.peek().start < end) this.tokens.next()
    this.tokens.expectOperator(')')
    return { text: this.text.slice(start, end).trimEnd(), start }
  }

  /** Where the bracket closes that is open at an offset; the text there is the engine's. */
  private closingBracket(start: number): number {
    let depth = 0
    for (const token of tokenize(this.text.slice(start))) {
      if (isSymbol(token, '(')) depth++
      if (isSymbol(token, ')') && depth-- === 0) return start + token.start
    }
    while (!this.tokens.atEnd()) this.tokens.next()
    throw this.tokens.unexpected("')'")
  }

  error(offset: number, code: ErrorCode, details: ErrorDetails): DeltaError {
    return this.tokens.error(offset, code, details)
  }

  /** The end of a statement; semicolons may stand before it. */
  end(): void {
    const { tokens } = this
    while (tokens.takeOperator(';'));
    if (!tokens.atEnd()) throw tokens.unexpected('the end of the statement')
  }
}

const RESERVED_PROPERTIES: readonly (readonly [string, string])[] = [
  ['owner', 'it is the user who makes the table'],
  ['provider', 'write USING'],
  ['location', 'write LOCATION'],
  ['external', 'write CREATE EXTERNAL TABLE'],
]
