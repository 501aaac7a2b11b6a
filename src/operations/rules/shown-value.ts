/** Values and conditions as the reference shows them where a row breaks a rule. */
import {
  castValue,
  type Expression,
  type ExpressionType,
  isInterval,
  mapChildren,
  printExpression,
} from '../../expressions/index.ts'
import { stringType, type Value, valueToJson } from '../../schema/index.ts'
import { encodeHex } from '../../support/index.ts'

/** Dates as days and times as microseconds since 1970, numbers as Java prints them, text as it is. */
export function shownText(value: Value, type: ExpressionType): string {
  if (value === null) return 'null'
  if (isInterval(type)) return String(value)
  switch (type.kind) {
    case 'float':
    case 'double':
      return String(castValue(value, type, stringType))
    case 'binary':
      return encodeHex(value as Uint8Array)
    case 'struct':
    case 'array':
    case 'map':
    case 'variant':
      return valueToJson(value, type)
    default:
      return String(value)
  }
}

/** An expression in the words of the reference: `(NOT (name = 'bad'))` where `name <> 'bad'` is written. */
export function shownExpression(expression: Expression): string {
  return printExpression(spellOut(expression))
}

function spellOut(node: Expression): Expression {
  const spelt = mapChildren(node, spellOut)
  if (spelt.kind !== 'call' || spelt.name !== '!=') return spelt
  return { ...spelt, name: 'not', args: [{ ...spelt, name: '=' }] }
}
