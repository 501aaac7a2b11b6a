/** Tests behind a value: IS, IN, BETWEEN, LIKE and their kin, written out in simpler calls. */
import type { Expression } from '../expression.ts'
import type { ExpressionParser } from './expression-parser.ts'
import { atQuery, readSubquery } from './foreign-forms.ts'

/** What may follow a value once: IS, IN, BETWEEN, LIKE and their kin. */
export function readPredicate(parser: ExpressionParser, value: Expression): Expression {
  const { reader, build } = parser
  if (reader.takeWord('IS')) return readIs(parser, value)
  const negated =
    reader.atWord('NOT') && ['BETWEEN', 'IN', 'LIKE', 'ILIKE', 'RLIKE', 'REGEXP'].includes(reader.peek(1).key)
  if (negated) reader.next()
  const test = readTest(parser, value, negated)
  if (test === undefined) return value
  return negated && !test.negates ? build.not(test.expression) : test.expression
}

function readTest(
  parser: ExpressionParser,
  value: Expression,
  negated: boolean,
): { expression: Expression; negates?: boolean } | undefined {
  const { reader, build } = parser
  const { start } = value.span
  if (reader.takeWord('BETWEEN')) {
    const low = parser.readValue()
    reader.expectWord('AND')
    const high = parser.readValue()
    const span = parser.from(start)
    const both = [build.call('>=', [value, low], span), build.call('<=', [value, high], span)]
    return { expression: build.call('and', both, span) }
  }
  if (reader.takeWord('IN')) return { expression: readIn(parser, value) }
  if (reader.takeWord('RLIKE') || reader.takeWord('REGEXP')) {
    const pattern = parser.readValue()
    return { expression: build.call('rlike', [value, pattern], parser.from(start)) }
  }
  const like = reader.takeWord('LIKE') ? 'like' : reader.takeWord('ILIKE') ? 'ilike' : undefined
  return like === undefined ? undefined : readLike(parser, value, like, negated)
}

function readIn(parser: ExpressionParser, value: Expression): Expression {
  if (parser.reader.atOperator('(') && atQuery(parser.reader, 1)) return readSubquery(parser, value.span.start)
  parser.reader.expectOperator('(')
  const items = parser.readList()
  return parser.build.call('in', [value, ...items], parser.from(value.span.start))
}

function readLike(
  parser: ExpressionParser,
  value: Expression,
  name: string,
  negated: boolean,
): { expression: Expression; negates?: boolean } {
  const { reader, build } = parser
  const all = reader.takeWord('ALL')
  if (all || ((reader.atWord('ANY') || reader.atWord('SOME')) && reader.atOperator('(', 1))) {
    if (!all) reader.next()
    reader.expectOperator('(')
    const tests = parser.readList().map((pattern) => build.call(name, [value, pattern], value.span))
    const each = negated ? tests.map((test) => build.not(test)) : tests
    return { expression: build.chain(all ? 'and' : 'or', each), negates: true }
  }
  const args = [value, parser.readValue()]
  if (reader.takeWord('ESCAPE')) {
    const { start } = reader.peek()
    const escapeText = reader.expectString('the escape character')
    if (Array.from(escapeText).length !== 1) throw reader.error(start, 'INVALID_ESC', { escape: escapeText })
    args.push(build.text(escapeText, parser.from(start)))
  }
  return { expression: build.call(name, args, parser.from(value.span.start)) }
}

function readIs(parser: ExpressionParser, value: Expression): Expression {
  const { reader, build } = parser
  const negated = reader.takeWord('NOT')
  const sign = (test: Expression): Expression => (negated ? build.not(test) : test)
  const { start } = value.span
  if (reader.takeWord('NULL')) return build.call(negated ? 'isnotnull' : 'isnull', [value], parser.from(start))
  if (reader.takeWord('UNKNOWN')) return sign(build.call('isunknown', [value], parser.from(start)))
  if (reader.takeWord('TRUE')) return sign(nullSafeEqual(parser, value, build.boolean(true, value.span)))
  if (reader.takeWord('FALSE')) return sign(nullSafeEqual(parser, value, build.boolean(false, value.span)))
  if (!reader.takeWord('DISTINCT')) throw reader.unexpected('NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM')
  reader.expectWord('FROM')
  const equal = nullSafeEqual(parser, value, parser.readValue())
  return negated ? equal : build.not(equal)
}

function nullSafeEqual(parser: ExpressionParser, left: Expression, right: Expression): Expression {
  return parser.build.call('<=>', [left, right], parser.from(left.span.start))
}
