/**
 * Spark's expression grammar, read by precedence.
 *
 * From loose to tight: OR, AND, NOT, one predicate (IS, IN, BETWEEN, LIKE), comparison, `|`, `^`, `&`, shifts, `+ - ||`,
 * `* / % DIV`, unary signs, then what stands by itself with `.field`, `[index]` and `::type` behind it. Forms with
 * words of their own (CASE, CAST, TRIM …) are in `special-forms.ts`.
 */
import type { Expression, Span } from '../expression.ts'
import { type ForeignForm, unsupported } from '../unsupported.ts'
import { NodeBuilder } from './build.ts'
import {
  atQuery,
  readArgument,
  readCollation,
  readSubquery,
  readVariantPath,
  SUBQUERY,
  skipBrackets,
  takeWindow,
} from './foreign-forms.ts'
import { parseNumber } from './number-literal.ts'
import { readPredicate } from './predicates.ts'
import { readSpecialForm } from './special-forms.ts'
import { TokenReader } from './token-reader.ts'
import { readType } from './type-parser.ts'

/** Binary operators by token: how tightly they bind, and the canonical name of their function. */
const OPERATORS: ReadonlyMap<string, { readonly power: number; readonly name: string }> = new Map([
  ['=', { power: 1, name: '=' }],
  ['==', { power: 1, name: '=' }],
  ['<=>', { power: 1, name: '<=>' }],
  ['<>', { power: 1, name: '!=' }],
  ['!=', { power: 1, name: '!=' }],
  ['<', { power: 1, name: '<' }],
  ['<=', { power: 1, name: '<=' }],
  ['!>', { power: 1, name: '<=' }],
  ['>', { power: 1, name: '>' }],
  ['>=', { power: 1, name: '>=' }],
  ['!<', { power: 1, name: '>=' }],
  ['|', { power: 2, name: '|' }],
  ['^', { power: 3, name: '^' }],
  ['&', { power: 4, name: '&' }],
  ['<<', { power: 5, name: 'shiftleft' }],
  ['>>', { power: 5, name: 'shiftright' }],
  ['>>>', { power: 5, name: 'shiftrightunsigned' }],
  ['+', { power: 6, name: '+' }],
  ['-', { power: 6, name: '-' }],
  ['||', { power: 6, name: 'concat' }],
  ['*', { power: 7, name: '*' }],
  ['/', { power: 7, name: '/' }],
  ['%', { power: 7, name: '%' }],
  ['DIV', { power: 7, name: 'div' }],
])
const UNARY: ReadonlyMap<string, string> = new Map([
  ['-', 'negative'],
  ['+', 'positive'],
  ['~', '~'],
])

export class ExpressionParser {
  readonly reader: TokenReader
  readonly build = new NodeBuilder()
  private readonly keepsForeign: boolean
  private numbered = 0

  /**
   * @param options.keepsForeign forms that are Spark's and not ours, and parameters, become nodes of their own instead of
   * being refused at once
   */
  constructor(text: string, options: { readonly keepsForeign?: boolean } = {}) {
    this.keepsForeign = options.keepsForeign ?? false
    this.reader = new TokenReader(text, { lenient: this.keepsForeign })
  }

  /** An expression with AND, OR and NOT in it. */
  readExpression(): Expression {
    return this.reader.nested(() => this.readOr())
  }

  private readOr(): Expression {
    const operands = [this.readAnd()]
    while (this.reader.takeWord('OR')) operands.push(this.readAnd())
    return this.build.chain('or', operands)
  }

  private readAnd(): Expression {
    const operands = [this.readNot()]
    while (this.reader.takeWord('AND')) operands.push(this.readNot())
    return this.build.chain('and', operands)
  }

  private readNot(): Expression {
    const { start } = this.reader.peek()
    if (this.reader.takeWord('NOT') || this.reader.takeOperator('!')) {
      const operand = this.reader.nested(() => this.readNot())
      return this.build.not(operand, this.from(start))
    }
    if (this.reader.atWord('EXISTS') && this.reader.atOperator('(', 1) && atQuery(this.reader, 2)) {
      this.reader.next()
      return readSubquery(this, start)
    }
    return readPredicate(this, this.readValue())
  }

  /** An expression of operators tighter than NOT and predicates. */
  readValue(minimum = 1): Expression {
    return this.reader.nested(() => {
      let left = this.readUnary()
      for (let operator = this.peekOperator(); operator !== undefined && operator.power >= minimum; ) {
        for (let i = 0; i < operator.tokens; i++) this.reader.next()
        const right = this.readValue(operator.power + 1)
        left = this.build.call(operator.name, [left, right], this.from(left.span.start))
        operator = this.peekOperator()
      }
      return left
    })
  }

  private peekOperator(): { power: number; name: string; tokens: number } | undefined {
    const token = this.reader.peek()
    if (token.kind !== 'operator' && token.key !== 'DIV') return undefined
    let key = token.key
    let tokens = 1
    if (key === '<' || key === '>') {
      const most = key === '<' ? 2 : 3
      while (tokens < most && this.adjacent(key, tokens)) tokens++
      key = key.repeat(tokens)
    }
    const operator = OPERATORS.get(key)
    return operator === undefined ? undefined : { ...operator, tokens }
  }

  private adjacent(key: string, ahead: number): boolean {
    return this.reader.atOperator(key, ahead) && this.reader.peek(ahead).start === this.reader.peek(ahead - 1).end
  }

  private readUnary(): Expression {
    const token = this.reader.peek()
    const name = token.kind === 'operator' ? UNARY.get(token.key) : undefined
    if (name === undefined) return this.readPostfix(this.readPrimary())
    if (token.key === '-' && this.reader.peek(1).kind === 'number') return this.readPostfix(this.readNegativeNumber())
    this.reader.next()
    const operand = this.reader.nested(() => this.readUnary())
    return this.build.call(name, [operand], this.from(token.start))
  }

  private readNegativeNumber(): Expression {
    const { start } = this.reader.next()
    return this.numberLiteral(this.reader.next().text, true, start)
  }

  private numberLiteral(text: string, negative: boolean, start: number): Expression {
    const { value, type } = parseNumber(text, negative)
    return this.build.literal(value, type, this.from(start))
  }

  /** `[index]`, `.field` and `::type`, any number of them. */
  private readPostfix(base: Expression): Expression {
    const { reader, build } = this
    let result = base
    for (;;) {
      if (reader.takeOperator('[')) {
        const index = this.readValue()
        reader.expectOperator(']')
        result = build.call('getitem', [result, index], this.from(base.span.start))
      } else if (reader.takeOperator('::')) {
        const { type } = readType(reader)
        result = build.cast(result, type, false, this.from(base.span.start))
      } else if (reader.atOperator('.')) {
        reader.next()
        result = this.fieldOf(result)
      } else if (reader.atOperator(':') && this.isPathMark()) {
        result = readVariantPath(this, base.span.start)
      } else if (reader.atWord('COLLATE')) {
        reader.next()
        result = readCollation(this, base.span.start)
      } else return result
    }
  }

  private fieldOf(base: Expression): Expression {
    const { start } = this.reader.peek()
    const name = this.reader.expectName('the name of a field')
    const span = this.from(base.span.start)
    if (base.kind === 'column') return this.build.column([...base.path, name], span)
    return this.build.call('getfield', [base, this.build.text(name, this.from(start))], span)
  }

  private readPrimary(): Expression {
    const { reader, build } = this
    const token = reader.peek()
    if (token.kind === 'number') {
      reader.next()
      return this.numberLiteral(token.text, false, token.start)
    }
    if (reader.atString()) return build.text(reader.expectString('a string'), this.from(token.start))
    if (token.kind === 'name') return this.readNamed()
    if (token.kind === 'word') return readSpecialForm(this) ?? this.readNamed()
    if (reader.atOperator('(')) return this.readBracketed()
    if (reader.atOperator('?') || (reader.atOperator(':') && this.isParameterName())) return this.readParameter()
    throw reader.unexpected('an expression')
  }

  /** A column, the parameter of a lambda, or a function's call. */
  private readNamed(): Expression {
    const { reader, build } = this
    const { start } = reader.peek()
    const name = reader.expectName('an expression')
    if (reader.takeOperator('->')) return this.readLambdaBody([name], start)
    if (reader.atOperator('(')) return this.readCall(name, start)
    if (!reader.atOperator('.')) return build.column([name], this.from(start))
    const path = [name]
    while (reader.takeOperator('.')) {
      if (reader.takeOperator('*'))
        return this.foreign({ what: `${path.join('.')}.*`, advice: 'name the fields' }, start)
      path.push(reader.expectName('a name'))
    }
    if (reader.atOperator('(')) return this.readCall(path.join('.'), start)
    return build.column(path, this.from(start))
  }

  private readLambdaBody(params: readonly string[], start: number): Expression {
    const body = this.readExpression()
    return this.build.lambda(params, body, this.from(start))
  }

  /** The arguments of a function, the bracket still to come. */
  readCall(name: string, start: number): Expression {
    const { reader } = this
    reader.expectOperator('(')
    if (reader.takeOperator('*')) {
      reader.expectOperator(')')
      return this.foreign({ what: `${name.toLowerCase()}(*)`, advice: 'name the columns' }, start)
    }
    if (atQuery(reader, 0)) {
      skipBrackets(reader)
      return this.foreign(SUBQUERY, start)
    }
    const counts = reader.atWord('ALL') && !reader.atOperator(')', 1) && !reader.atOperator(',', 1)
    if (counts || reader.atWord('DISTINCT')) {
      reader.next()
      this.readList()
      return this.foreign(
        { what: `an aggregate (${name})`, advice: 'use it in a SELECT', construct: 'aggregate' },
        start,
      )
    }
    const args = reader.takeOperator(')') ? [] : this.readList()
    if (takeWindow(reader))
      return this.foreign(
        { what: `a window or an aggregate (${name})`, advice: 'use it in a SELECT', construct: 'aggregate' },
        start,
      )
    return this.build.call(name.toLowerCase(), args, this.from(start))
  }

  /** Expressions up to and with the closing bracket. */
  readList(): Expression[] {
    const items: Expression[] = []
    do {
      items.push(readArgument(this))
    } while (this.reader.takeOperator(','))
    this.reader.expectOperator(')')
    return items
  }

  private readBracketed(): Expression {
    const { reader } = this
    if (atQuery(reader, 1)) return readSubquery(this, reader.peek().start)
    const params = this.lambdaParams()
    const { start } = reader.next()
    if (params !== undefined) {
      for (let i = 0; i < params.length * 2; i++) reader.next()
      reader.expectOperator('->')
      return this.readLambdaBody(params, start)
    }
    const first = this.readItem()
    if (!reader.atOperator(',')) {
      reader.expectOperator(')')
      return first.value
    }
    const items = [first]
    while (reader.takeOperator(',')) items.push(this.readItem())
    reader.expectOperator(')')
    return this.namedStruct(items, start)
  }

  /** `(x, y) ->`: the names, without moving; undefined where it is something else. */
  private lambdaParams(): string[] | undefined {
    const params: string[] = []
    for (let ahead = 1; ; ahead += 2) {
      const token = this.reader.peek(ahead)
      if (token.kind !== 'word' && token.kind !== 'name') return undefined
      params.push(token.text)
      if (this.reader.atOperator(')', ahead + 1)) return this.reader.atOperator('->', ahead + 2) ? params : undefined
      if (!this.reader.atOperator(',', ahead + 1)) return undefined
    }
  }

  private readItem(): { value: Expression; alias: string | undefined } {
    const value = this.readExpression()
    const alias = this.reader.takeWord('AS') ? this.reader.expectName('a name') : undefined
    return { value, alias }
  }

  /** `struct(a, b AS x, 1)`: names from aliases, from columns, else `col3`. */
  private namedStruct(items: readonly { value: Expression; alias: string | undefined }[], start: number): Expression {
    const span = this.from(start)
    const args = items.flatMap(({ value, alias }, i) => {
      const own = value.kind === 'column' ? value.path.at(-1) : undefined
      return [this.build.text(alias ?? own ?? `col${i + 1}`, value.span), value]
    })
    return this.build.call('named_struct', args, span)
  }

  /** `struct(…)`, the word taken. */
  readStruct(start: number): Expression {
    this.reader.expectOperator('(')
    if (this.reader.takeOperator(')')) return this.namedStruct([], start)
    const items = [this.readItem()]
    while (this.reader.takeOperator(',')) items.push(this.readItem())
    this.reader.expectOperator(')')
    return this.namedStruct(items, start)
  }

  private isParameterName(): boolean {
    const { kind, text } = this.reader.peek(1)
    return kind === 'word' && /^[A-Za-z_]/.test(text)
  }

  private readParameter(): Expression {
    const { start, key } = this.reader.next()
    const name = key === '?' ? this.numbered++ : this.reader.next().text
    if (this.keepsForeign) return this.build.parameter(name, this.from(start))
    throw unsupported('a parameter', 'write the value itself')
  }

  /** A colon that touches what stands before it is the path of a variant; another one may be a parameter's. */
  private isPathMark(): boolean {
    return this.reader.peek().start === this.reader.end && this.reader.peek(1).kind !== 'end'
  }

  /** A form that is not ours, read to its end. */
  foreign(form: ForeignForm, start: number): Expression {
    const { what, advice, construct } = form
    if (!this.keepsForeign) throw unsupported(what, advice, construct)
    const span = this.from(start)
    return this.build.foreign({ ...form, text: this.reader.text.slice(span.start, span.end) }, span)
  }

  /** The stretch from an offset to the end of what was read last. */
  from(start: number): Span {
    return { start, end: this.reader.end }
  }
}
