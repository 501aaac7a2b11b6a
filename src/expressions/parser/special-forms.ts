/** Forms with words of their own between their operands: EXTRACT, TRIM, SUBSTRING … FROM, typed literals. */
import type { Expression } from '../expression.ts'
import type { ExpressionParser } from './expression-parser.ts'
import { readType } from './type-parser.ts'
import { readDate, readHex, readInterval, readTime, readTimestamp, readTimestampNtz } from './typed-literals.ts'

export type Form = (parser: ExpressionParser, start: number) => Expression | undefined

const DATETIME_UNITS = new Set([
  'YEAR',
  'QUARTER',
  'MONTH',
  'WEEK',
  'DAY',
  'DAYOFYEAR',
  'HOUR',
  'MINUTE',
  'SECOND',
  'MILLISECOND',
  'MICROSECOND',
])

/** The form the next word begins, or undefined (nothing taken) when it is an ordinary name here. */
export function readSpecialForm(parser: ExpressionParser): Expression | undefined {
  const token = parser.reader.peek()
  const form = FORMS.get(token.key)
  const made = form?.(parser, token.start)
  if (made !== undefined) return made
  if (!parser.reader.atString(1)) return undefined
  throw parser.reader.error(token.start, 'UNSUPPORTED_TYPED_LITERAL', { type: token.key })
}

/** The forms that look like calls: taken only where a bracket follows the word. */
function call(read: Form): Form {
  return (parser, start) => {
    if (!parser.reader.atOperator('(', 1)) return undefined
    parser.reader.next()
    parser.reader.next()
    return read(parser, start)
  }
}

function constant(make: (parser: ExpressionParser, start: number) => Expression): Form {
  return (parser, start) => {
    if (parser.reader.atOperator('(', 1) || parser.reader.atOperator('.', 1)) return undefined
    parser.reader.next()
    return make(parser, start)
  }
}

const readCase: Form = (parser, start) => {
  const { reader, build } = parser
  const next = reader.peek(1)
  if (next.kind === 'end' || (next.kind === 'operator' && !['(', '-', '+', '~', '!'].includes(next.key)))
    return undefined
  if (['AND', 'OR', 'IS', 'IN', 'LIKE', 'BETWEEN'].includes(next.key)) return undefined
  reader.next()
  const subject = reader.atWord('WHEN') ? undefined : parser.readExpression()
  const branches: { when: Expression; then: Expression }[] = []
  while (reader.takeWord('WHEN')) {
    const test = parser.readExpression()
    const when = subject === undefined ? test : build.call('=', [subject, test], test.span)
    reader.expectWord('THEN')
    branches.push({ when, then: parser.readExpression() })
  }
  if (branches.length === 0) throw reader.unexpected('WHEN')
  const otherwise = reader.takeWord('ELSE') ? parser.readExpression() : undefined
  reader.expectWord('END')
  return build.cases(branches, otherwise, parser.from(start))
}

function readCast(safe: boolean): Form {
  return call((parser, start) => {
    const child = parser.readExpression()
    parser.reader.expectWord('AS')
    const { type } = readType(parser.reader)
    parser.reader.expectOperator(')')
    return parser.build.cast(child, type, safe, parser.from(start))
  })
}

const readExtract = call((parser, start) => {
  const at = parser.reader.peek().start
  const field = parser.reader.expectName('a field such as YEAR')
  const name = parser.build.text(field, parser.from(at))
  if (parser.reader.takeOperator(',')) return finish(parser, 'date_part', [name, parser.readValue()], start)
  parser.reader.expectWord('FROM')
  return finish(parser, 'date_part', [name, parser.readValue()], start)
})

const readSubstring = call((parser, start) => {
  const { reader } = parser
  const args = [parser.readExpression()]
  if (!reader.takeWord('FROM')) reader.expectOperator(',')
  args.push(parser.readExpression())
  if (reader.takeWord('FOR') || reader.takeOperator(',')) args.push(parser.readExpression())
  return finish(parser, 'substring', args, start)
})

const readTrim = call((parser, start) => {
  const { reader } = parser
  const side = ['BOTH', 'LEADING', 'TRAILING'].find((word) => reader.atWord(word) && !followsName(parser))
  if (side !== undefined) reader.next()
  const name = side === 'LEADING' ? 'ltrim' : side === 'TRAILING' ? 'rtrim' : 'trim'
  if (side !== undefined && reader.takeWord('FROM')) return finish(parser, name, [parser.readExpression()], start)
  const first = parser.readExpression()
  if (reader.takeWord('FROM')) return finish(parser, name, [first, parser.readExpression()], start)
  if (side !== undefined) throw reader.unexpected('FROM')
  if (reader.takeOperator(',')) return finish(parser, name, [first, parser.readExpression()], start)
  return finish(parser, name, [first], start)
})

/** Whether the word before is an argument by itself (`trim(both)`). */
function followsName(parser: ExpressionParser): boolean {
  return parser.reader.atOperator(')', 1) || parser.reader.atOperator(',', 1) || parser.reader.atOperator('.', 1)
}

const readPosition = call((parser, start) => {
  const needle = parser.readValue()
  if (parser.reader.takeWord('IN')) return finish(parser, 'locate', [needle, parser.readValue()], start)
  parser.reader.expectOperator(',')
  return parser.build.call('locate', [needle, ...parser.readList()], parser.from(start))
})

const readOverlay = call((parser, start) => {
  const { reader } = parser
  const args = [parser.readExpression()]
  if (reader.takeOperator(',')) return parser.build.call('overlay', [...args, ...parser.readList()], parser.from(start))
  reader.expectWord('PLACING')
  args.push(parser.readValue())
  reader.expectWord('FROM')
  args.push(parser.readValue())
  if (reader.takeWord('FOR')) args.push(parser.readValue())
  return finish(parser, 'overlay', args, start)
})

/** `timestampadd(DAY, 1, ts)`: the unit is a bare word. */
function withUnit(name: string): Form {
  return (parser, start) => {
    const { reader } = parser
    if (!reader.atOperator('(', 1) || !reader.atOperator(',', 3)) return undefined
    const unit = reader.peek(2)
    if (reader.atString(2) && !isPlainCall(parser)) {
      throw reader.error(unit.start, 'INVALID_PARAMETER_VALUE.DATETIME_UNIT', { value: unit.text })
    }
    if (unit.kind !== 'word' || !DATETIME_UNITS.has(unit.key) || isPlainCall(parser)) return undefined
    for (let i = 0; i < 4; i++) reader.next()
    const args = [parser.build.text(unit.key, { start: unit.start, end: unit.end }), ...parser.readList()]
    return parser.build.call(name, args, parser.from(start))
  }
}

/** Whether the call has two arguments, as far as its first one is a single token: `date_add(day, 1)`. */
function isPlainCall(parser: ExpressionParser): boolean {
  let depth = 0
  for (let ahead = 4; ; ahead++) {
    const { kind, key } = parser.reader.peek(ahead)
    if (kind === 'end') return true
    if (kind !== 'operator') continue
    if (key === '(' || key === '[') depth++
    if (key === ')' || key === ']') depth--
    if (depth < 0) return true
    if (depth === 0 && key === ',') return false
  }
}

function finish(parser: ExpressionParser, name: string, args: readonly Expression[], start: number): Expression {
  parser.reader.expectOperator(')')
  return parser.build.call(name, args, parser.from(start))
}

/** Functions without brackets whose answer hangs on when or by whom they are asked. */
function currentLike(name: string): Form {
  return constant((parser, start) => parser.build.call(name, [], parser.from(start)))
}

const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['NULL', constant((parser, start) => parser.build.nothing(parser.from(start)))],
  ['TRUE', constant((parser, start) => parser.build.boolean(true, parser.from(start)))],
  ['FALSE', constant((parser, start) => parser.build.boolean(false, parser.from(start)))],
  ['CASE', readCase],
  ['CAST', readCast(false)],
  ['TRY_CAST', readCast(true)],
  ['EXTRACT', readExtract],
  ['SUBSTRING', readSubstring],
  ['SUBSTR', readSubstring],
  ['TRIM', readTrim],
  ['POSITION', readPosition],
  ['OVERLAY', readOverlay],
  ['TIMESTAMPADD', withUnit('timestampadd')],
  ['DATEADD', withUnit('timestampadd')],
  ['DATE_ADD', withUnit('timestampadd')],
  ['TIMESTAMPDIFF', withUnit('timestampdiff')],
  ['DATEDIFF', withUnit('timestampdiff')],
  ['DATE_DIFF', withUnit('timestampdiff')],
  [
    'STRUCT',
    (parser, start) => {
      if (!parser.reader.atOperator('(', 1)) return undefined
      parser.reader.next()
      return parser.readStruct(start)
    },
  ],
  ['DATE', readDate],
  ['TIMESTAMP', readTimestamp],
  ['TIMESTAMP_LTZ', readTimestamp],
  ['TIMESTAMP_NTZ', readTimestampNtz],
  ['TIME', readTime],
  ['X', readHex],
  ['INTERVAL', readInterval],
  ['CURRENT_DATE', currentLike('current_date')],
  ['CURRENT_TIME', currentLike('current_time')],
  ['CURRENT_TIMESTAMP', currentLike('current_timestamp')],
  ['LOCALTIMESTAMP', currentLike('localtimestamp')],
])
