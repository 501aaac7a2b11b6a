/** A place in a list of tokens: looking, taking, expecting, and the limit on nesting. */
import { type DeltaError, deltaError, type ErrorCode, type ErrorDetails } from '../../errors/index.ts'
import { unsupported } from '../unsupported.ts'
import { type Token, type TokenizeOptions, tokenize } from './lexer.ts'
import { unquoteRaw, unquoteString } from './string-literal.ts'
import { errorAt, syntaxError } from './syntax-error.ts'

const MAX_NESTING = 250

export class TokenReader {
  readonly text: string
  private readonly tokens: readonly Token[]
  private readonly lenient: boolean
  /** what was read and is not ours */
  readonly foreign: string[] = []
  private at = 0
  private depth = 0

  /**
   * @param options.lenient forms that are Spark's and not ours are noted in `foreign` instead of being refused where they
   * stand
   */
  constructor(text: string, options: TokenizeOptions = {}) {
    this.text = text
    this.tokens = tokenize(text, options)
    this.lenient = options.lenient ?? false
  }

  /** Refuses a form that is read and not ours, or notes it. */
  refuse(what: string, advice: string): void {
    if (!this.lenient) throw unsupported(what, advice)
    this.foreign.push(what)
  }

  peek(ahead = 0): Token {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)]!
  }

  next(): Token {
    const token = this.peek()
    this.at++
    return token
  }

  /** The place in the list of tokens, to come back to. */
  get place(): number {
    return this.at
  }

  /** Goes back to a place, or on to one. */
  moveTo(place: number): void {
    this.at = place
  }

  /** where the last taken token ended */
  get end(): number {
    return this.at === 0 ? 0 : this.tokens[this.at - 1]!.end
  }

  atEnd(): boolean {
    return this.peek().kind === 'end'
  }

  atOperator(operator: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.kind === 'operator' && token.key === operator
  }

  atWord(word: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.kind === 'word' && token.key === word
  }

  takeOperator(operator: string): boolean {
    const found = this.atOperator(operator)
    if (found) this.at++
    return found
  }

  takeWord(word: string): boolean {
    const found = this.atWord(word)
    if (found) this.at++
    return found
  }

  expectOperator(operator: string): void {
    if (!this.takeOperator(operator)) throw this.unexpected(`'${operator}'`)
  }

  expectWord(word: string): void {
    if (!this.takeWord(word)) throw this.unexpected(word)
  }

  /** Whether the next words are these; takes them if so. */
  takeWords(...words: readonly string[]): boolean {
    const found = words.every((word, i) => this.atWord(word, i))
    if (found) this.at += words.length
    return found
  }

  expectWords(...words: readonly string[]): void {
    for (const word of words) this.expectWord(word)
  }

  /** A name, in backticks or plain. */
  expectName(what: string): string {
    const token = this.peek()
    if (token.kind !== 'word' && token.kind !== 'name') throw this.unexpected(what)
    if (token.kind === 'name' && token.text === '') throw this.unexpected(what)
    this.at++
    return token.text
  }

  /** One string literal, or several side by side. */
  expectString(what: string): string {
    if (!this.atString()) throw this.unexpected(what)
    let value = ''
    while (this.atString()) value += this.expectOneString(what)
    return value
  }

  /** One string literal; another one may follow it. */
  expectOneString(what: string): string {
    if (!this.atString()) throw this.unexpected(what)
    const token = this.next()
    return token.kind === 'raw' ? unquoteRaw(token.text) : unquoteString(token.text)
  }

  atString(ahead = 0): boolean {
    const { kind } = this.peek(ahead)
    return kind === 'string' || kind === 'raw'
  }

  expectInteger(what: string): number {
    const token = this.peek()
    if (token.kind !== 'number' || !/^\d{1,9}$/.test(token.text)) throw this.unexpected(what)
    this.at++
    return Number(token.text)
  }

  /** Runs a reading that may nest in itself. */
  nested<T>(read: () => T): T {
    if (++this.depth > MAX_NESTING) throw deltaError('FAILED_TO_PARSE_TOO_COMPLEX', { limit: MAX_NESTING })
    const result = read()
    this.depth--
    return result
  }

  /** The refusal of the next token. */
  unexpected(expected: string): DeltaError {
    const token = this.peek()
    if (token.kind === 'stray') return token.refusal()
    return syntaxError(this.text, this.peek().start, expected)
  }

  error(offset: number, code: ErrorCode, details: ErrorDetails): DeltaError {
    return errorAt(this.text, offset, code, details)
  }
}
