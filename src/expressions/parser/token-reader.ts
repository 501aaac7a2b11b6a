/** A place in a list of tokens: looking, taking, expecting, and the limit on nesting. */
import { type DeltaError, deltaError, type ErrorCode, type ErrorDetails } from '../../errors/index.ts'
import { type Token, tokenize } from './lexer.ts'
import { unquoteRaw, unquoteString } from './string-literal.ts'
import { errorAt, syntaxError } from './syntax-error.ts'

const MAX_NESTING = 250

export class TokenReader {
  readonly text: string
  private readonly tokens: readonly Token[]
  private at = 0
  private depth = 0

  constructor(text: string) {
    this.text = text
    this.tokens = tokenize(text)
  }

  peek(ahead = 0): Token {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)]!
  }

  next(): Token {
    const token = this.peek()
    this.at++
    return token
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
    while (this.atString()) {
      const token = this.next()
      value += token.kind === 'raw' ? unquoteRaw(token.text) : unquoteString(token.text)
    }
    return value
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

  unexpected(expected: string): DeltaError {
    return syntaxError(this.text, this.peek().start, expected)
  }

  error(offset: number, code: ErrorCode, details: ErrorDetails): DeltaError {
    return errorAt(this.text, offset, code, details)
  }
}
