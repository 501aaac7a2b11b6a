/** Parts of a predicate as text, for the words of an explanation. */
import { type BoundExpression, type ExpressionType, isInterval } from '../../expressions/index.ts'
import { formatType, type Value, valueToText } from '../../schema/index.ts'
import { keepsValues } from './narrow-literal.ts'

const INFIX: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', 'div'])

/** Casts that change no value are left out. */
export function boundText(expression: BoundExpression): string {
  switch (expression.kind) {
    case 'column':
      return expression.path.join('.')
    case 'literal':
      return literalText(expression.value, expression.type)
    case 'cast': {
      const child = boundText(expression.child)
      if (keepsValues(expression.child.type, expression.type)) return child
      return `${expression.safe ? 'TRY_CAST' : 'CAST'}(${child} AS ${typeText(expression.type)})`
    }
    case 'call': {
      const args = expression.args.map(boundText)
      return INFIX.has(expression.name) ? args.join(` ${expression.name} `) : `${expression.name}(${args.join(', ')})`
    }
    default:
      return expression.kind
  }
}

export function literalText(value: Value, type: ExpressionType): string {
  if (value === null) return 'NULL'
  if (isInterval(type)) return `${String(value)} ${type.kind === 'interval_year_month' ? 'months' : 'microseconds'}`
  return type.kind === 'string' ? `'${String(value)}'` : valueToText(value, type)
}

function typeText(type: ExpressionType): string {
  return isInterval(type) ? type.text : formatType(type)
}
