/** `+ - * / % div` and signs, on numbers and intervals; their `try_` forms. */
import { type DecimalType, doubleType, integerType, longType } from '../../schema/index.ts'
import { meetOperands, wrongType } from '../bind/binary.ts'
import { boundedDecimal, coerce, decimalForNode, isIntegralType, isNumericType } from '../bind/coercion.ts'
import { numeric, oneOf } from '../bind/expected.ts'
import { type BoundExpression, type ExpressionType, isInterval } from '../expression.ts'
import { bindDatetimeArithmetic } from './datetime-arithmetic.ts'
import { type CallShape, callOf, castArgument, type FunctionEntry, type NotNull, simple } from './entry.ts'
import { decimalOperation, type OperationName, wholeOperation } from './number-operations.ts'

const RULES: Readonly<Record<string, string>> = {
  '+': 'numbers or intervals',
  '-': 'numbers or intervals',
  '*': 'numbers',
  '/': 'numbers',
  '%': 'numbers',
  pmod: 'numbers',
  div: 'whole numbers, decimals or intervals',
}

function bindArithmetic(name: string): FunctionEntry['bind'] {
  return ([left, right]) => {
    const dated = bindDatetimeArithmetic(name, left!, right!)
    if (dated !== undefined) return dated
    if (usesDecimals(left!.type, right!.type)) return bindDecimals(name, left!, right!)
    const rule = {
      name,
      expected: RULES[name]!,
      accepts: (type: ExpressionType) => isNumericType(type) || (isInterval(type) && (name === '+' || name === '-')),
      nothing: doubleType,
    }
    const met = meetOperands(left!, right!, rule)
    return finishArithmetic(name, met.left, met.right, met.type)
  }
}

function finishArithmetic(
  name: string,
  left: BoundExpression,
  right: BoundExpression,
  type: ExpressionType,
): BoundExpression {
  if (name === '/' && !isInterval(type) && type.kind !== 'double') {
    return callOf(name, [coerce(left, doubleType), coerce(right, doubleType)], doubleType)
  }
  if (name === 'div') {
    if (!isIntegralType(type)) throw wrongType({ name, expected: RULES.div! }, type)
    return callOf(name, [coerce(left, longType), coerce(right, longType)], longType)
  }
  return callOf(name, [left, right], type)
}

function usesDecimals(left: ExpressionType, right: ExpressionType): boolean {
  const exact = (type: ExpressionType): boolean =>
    isIntegralType(type) || type.kind === 'void' || type.kind === 'decimal'
  return (left.kind === 'decimal' || right.kind === 'decimal') && exact(left) && exact(right)
}

function bindDecimals(name: string, left: BoundExpression, right: BoundExpression): BoundExpression {
  const typeOf = (node: BoundExpression, other: BoundExpression): DecimalType =>
    node.type.kind === 'void' ? decimalForNode(other) : decimalForNode(node)
  const [a, b] = [typeOf(left, right), typeOf(right, left)]
  const type = name === 'div' ? longType : decimalResult(name, a, b)
  return callOf(name, [coerce(left, a), coerce(right, b)], type)
}

function decimalResult(name: string, a: DecimalType, b: DecimalType): DecimalType {
  const scale = Math.max(a.scale, b.scale)
  const [wholeA, wholeB] = [a.precision - a.scale, b.precision - b.scale]
  switch (name) {
    case '*':
      return boundedDecimal(a.precision + b.precision + 1, a.scale + b.scale)
    case '/': {
      const fraction = Math.max(6, a.scale + b.precision + 1)
      return boundedDecimal(wholeA + b.scale + fraction, fraction)
    }
    case '%':
    case 'pmod':
      return boundedDecimal(Math.min(wholeA, wholeB) + scale, scale)
    default:
      return boundedDecimal(Math.max(wholeA, wholeB) + scale + 1, scale)
  }
}

function operationOf(name: OperationName): (shape: CallShape) => (a: NotNull, b: NotNull) => NotNull {
  return ({ type, types }) => {
    const operands = types[0]!
    if (operands.kind === 'decimal') {
      return decimalOperation(name, type.kind === 'decimal' ? type : undefined)
    }
    return wholeOperation(name, operands)
  }
}

function arithmetic(name: OperationName, aliases: readonly string[] = []): FunctionEntry {
  return { name, aliases, arity: [2, 2], bind: bindArithmetic(name), strict: operationOf(name) }
}

const signable = oneOf(numeric, {
  text: 'an interval',
  accepts: isInterval,
  castFrom: () => undefined,
  nothing: doubleType,
})

function sign(name: 'negative' | 'positive' | 'abs'): FunctionEntry {
  return {
    name,
    arity: [1, 1],
    bind([value], site) {
      const arg = castArgument(value!, signable, site.name, 0)
      return name === 'positive' ? arg : callOf(name, [arg], arg.type)
    },
    strict: ({ type }) => wholeOperation(name, type) as (value: NotNull) => NotNull,
  }
}

function bitwise(name: '&' | '|' | '^'): FunctionEntry {
  return {
    name,
    arity: [2, 2],
    bind([left, right]) {
      const rule = { name, expected: 'whole numbers', accepts: isIntegralType, nothing: integerType }
      const met = meetOperands(left!, right!, rule)
      return callOf(name, [met.left, met.right], met.type)
    },
    strict: ({ type }) => wholeOperation(name, type),
  }
}

export const arithmeticFunctions: readonly FunctionEntry[] = [
  arithmetic('+', ['add']),
  arithmetic('-', ['subtract']),
  arithmetic('*', ['multiply']),
  arithmetic('/', ['divide']),
  arithmetic('%', ['mod']),
  arithmetic('div'),
  arithmetic('pmod'),
  sign('negative'),
  sign('positive'),
  sign('abs'),
  bitwise('&'),
  bitwise('|'),
  bitwise('^'),
  simple({
    name: '~',
    takes: [
      {
        text: 'a whole number',
        accepts: isIntegralType,
        castFrom: () => undefined,
        nothing: integerType,
      },
    ],
    gives: ([type]) => type!,
    strict: ({ type }) => (type.kind === 'long' ? (value) => ~(value as bigint) : (value) => ~(value as number)),
  }),
]
