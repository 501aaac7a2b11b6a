/** `+ - * / % div`, signs and bits, at Spark's widths. */
import { isInterval } from '../../../../expressions/index.ts'
import { type DataType, type DecimalType, isIntegral } from '../../../../schema/index.ts'
import { LOGICAL, sqlType } from '../../values/sql-type.ts'
import { type Fragment, failing, mayAnyFail, notCompiled, raise, typeName } from '../fragment.ts'
import { type CallForm, type CompiledCall, sqlOf, strict } from './call-form.ts'

/** DuckDB computes integers at their own width and refuses an overflow, which `expressionError` names as Spark does. */
function plain(operator: '+' | '-' | '*'): CallForm {
  return {
    strict: true,
    compile: (call) => {
      refuseIntervals(call)
      if (call.type.kind === 'decimal') return decimalPlain(operator, call)
      const [a, b] = sqlOf(call)
      const sql = `(${a} ${operator} ${b})`
      return { sql, mayFail: isWhole(call) || mayAnyFail(call.args) }
    },
  }
}

function refuseIntervals(call: CompiledCall): void {
  if (call.types.some(isInterval)) throw notCompiled(`${call.name} of intervals`)
}

function isWhole(call: CompiledCall): boolean {
  const type = call.types[0]!
  return !isInterval(type) && isIntegral(type)
}

interface DecimalPair {
  readonly a: string
  readonly b: string
  readonly left: DecimalType
  readonly right: DecimalType
  readonly result: DecimalType
}

function decimals(call: CompiledCall): DecimalPair {
  const [a, b] = sqlOf(call) as [string, string]
  const [left, right] = call.types
  if (left?.kind !== 'decimal' || right?.kind !== 'decimal' || call.type.kind !== 'decimal') {
    throw notCompiled(`${call.name} of ${call.types.map(typeName).join(' and ')}`)
  }
  return { a, b, left, right, result: call.type }
}

/** Both operands at one scale, or a refusal where that takes more than 38 digits or the result drops digits. */
function aligned(call: CompiledCall): { a: string; b: string; precision: number; result: DecimalType } {
  const { a, b, left, right, result } = decimals(call)
  const scale = Math.max(left.scale, right.scale)
  const precision = Math.max(left.precision - left.scale, right.precision - right.scale) + scale
  if (precision > 38 || result.scale !== scale) throw wide(call)
  const cast = (sql: string) => `CAST(${sql} AS DECIMAL(${precision},${scale}))`
  return { a: cast(a), b: cast(b), precision, result }
}

function wide(call: CompiledCall): Error {
  return notCompiled(`${call.name} of decimals this wide, ${call.types.map(typeName).join(' and ')}`)
}

function decimalPlain(operator: '+' | '-' | '*', call: CompiledCall): Fragment {
  if (operator === '*') return decimalProduct(call)
  const { a, b, precision, result } = aligned(call)
  const sql = `CAST((${a} ${operator} ${b}) AS ${sqlType(result, LOGICAL)})`
  return { sql, mayFail: precision === 38 || mayAnyFail(call.args) }
}

function decimalProduct(call: CompiledCall): Fragment {
  const { a, b, left, right, result } = decimals(call)
  if (left.precision + right.precision + 1 > 38) throw wide(call)
  // at least 19 digits: narrower ones are multiplied in 64 bits, whatever the product has
  const wideEnough = (sql: string, type: DecimalType) =>
    `CAST(${sql} AS DECIMAL(${Math.max(type.precision, 19)},${type.scale}))`
  const product = `(${wideEnough(a, left)} * ${wideEnough(b, right)})`
  return { sql: `CAST(${product} AS ${sqlType(result, LOGICAL)})`, mayFail: mayAnyFail(call.args) }
}

const divide: CallForm = {
  strict: true,
  compile: (call) => {
    const [a, b] = sqlOf(call) as [string, string]
    const quotient = call.type.kind === 'decimal' ? decimalQuotient(call) : `${a} / ${b}`
    return zeroChecked(call, 'DIVIDE_BY_ZERO', quotient)
  },
}

/** The quotient by integers, rounded half up: DuckDB divides decimals as doubles. */
function decimalQuotient(call: CompiledCall): string {
  const { a, b, left, right, result } = decimals(call)
  const shift = result.scale - left.scale + right.scale
  if (shift < 0 || left.precision + shift > 36 || right.precision > 36) throw wide(call)
  const [n, d] = [`abs(${unscaled(a)})`, `abs(${unscaled(b)})`]
  const magnitude = `((2 * ${n} * ${10n ** BigInt(shift)}::HUGEINT + ${d}) // (2 * ${d}))`
  const sign = `CASE WHEN (${a} < 0) <> (${b} < 0) THEN '-' ELSE '' END`
  return fromUnscaled(`CAST(${magnitude} AS VARCHAR)`, sign, result)
}

/** The digits of a decimal as an integer. */
function unscaled(sql: string): string {
  return `CAST(replace(CAST(${sql} AS VARCHAR), '.', '') AS HUGEINT)`
}

/** The decimal of some digits, the point put in by text: no product with a power of ten has room for all of them. */
function fromUnscaled(digits: string, sign: string, type: DecimalType): string {
  const target = sqlType(type, LOGICAL)
  if (type.scale === 0) return `CAST(${sign} || ${digits} AS ${target})`
  const pointed = `regexp_replace('${'0'.repeat(type.scale)}' || ${digits}, '(.{${type.scale}})$', '.\\1')`
  return `CAST(${sign} || ${pointed} AS ${target})`
}

/** NULL where an operand is, the error where the divisor is zero, else the SQL given. */
function zeroChecked(call: CompiledCall, code: 'DIVIDE_BY_ZERO' | 'REMAINDER_BY_ZERO', sql: string): Fragment {
  const [a, b] = sqlOf(call) as [string, string]
  const divisor = call.nodes[1]!
  const isKnown = divisor.kind === 'literal' && divisor.value !== null && Number(String(divisor.value)) !== 0
  if (isKnown) return { sql: `(${sql})`, mayFail: mayAnyFail(call.args) }
  return failing(`CASE WHEN ${a} IS NULL OR ${b} IS NULL THEN NULL WHEN ${b} = 0 THEN ${raise(code)} ELSE ${sql} END`)
}

const remainder: CallForm = {
  strict: true,
  compile: (call) => {
    if (call.type.kind === 'decimal') {
      const { a, b, result } = aligned(call)
      return zeroChecked(call, 'REMAINDER_BY_ZERO', `CAST((${a} % ${b}) AS ${sqlType(result, LOGICAL)})`)
    }
    const [a, b] = sqlOf(call) as [string, string]
    if (!isWhole(call)) return zeroChecked(call, 'REMAINDER_BY_ZERO', `${a} % ${b}`)
    // the least value by -1 overflows in DuckDB and is 0 in Spark
    const rest = `CASE WHEN ${b} = -1 THEN CAST(${a} * 0 AS ${sqlType(call.type as DataType, LOGICAL)}) ELSE ${a} % ${b} END`
    return zeroChecked(call, 'REMAINDER_BY_ZERO', rest)
  },
}

const wholeQuotient: CallForm = {
  strict: true,
  compile: (call) => {
    const [a, b] = sqlOf(call) as [string, string]
    if (!isWhole(call)) return zeroChecked(call, 'DIVIDE_BY_ZERO', decimalWholeQuotient(call))
    const least = `${a} = -9223372036854775808 AND ${b} = -1`
    const overflow = raise('ARITHMETIC_OVERFLOW', { operation: 'div', type: 'bigint' })
    return failing(zeroChecked(call, 'DIVIDE_BY_ZERO', `CASE WHEN ${least} THEN ${overflow} ELSE ${a} // ${b} END`).sql)
  },
}

/** Spark's result wraps at 64 bits; such a quotient is refused when it is met. */
function decimalWholeQuotient(call: CompiledCall): string {
  const [left, right] = call.types
  const [a, b] = sqlOf(call) as [string, string]
  if (left?.kind !== 'decimal' || right?.kind !== 'decimal') throw notCompiled(`div of ${typeName(left!)}`)
  const scale = Math.max(left.scale, right.scale)
  if (Math.max(left.precision - left.scale, right.precision - right.scale) + scale > 38) throw wide(call)
  const shifted = (sql: string, type: DecimalType) =>
    `(${unscaled(sql)} * ${10n ** BigInt(scale - type.scale)}::HUGEINT)`
  const wraps = raise('LAKE_EXPRESSION_NOT_COMPILED', { what: 'a quotient beyond 64 bits' })
  return `coalesce(TRY_CAST(${shifted(a, left)} // ${shifted(b, right)} AS BIGINT), ${wraps})`
}

const positiveRemainder: CallForm = {
  strict: true,
  compile: (call) => {
    const [a, b] = sqlOf(call) as [string, string]
    if (call.type.kind === 'decimal') throw notCompiled('pmod of decimals')
    if (!isWhole(call))
      return zeroChecked(
        call,
        'REMAINDER_BY_ZERO',
        `CASE WHEN ${a} % ${b} < 0 THEN (${a} % ${b} + ${b}) % ${b} ELSE ${a} % ${b} END`,
      )
    const target = sqlType(call.type as DataType, LOGICAL)
    const [x, y] = [`CAST(${a} AS HUGEINT)`, `CAST(${b} AS HUGEINT)`]
    const wraps = raise('LAKE_EXPRESSION_NOT_COMPILED', { what: 'a remainder by so low a number' })
    const low = `CASE WHEN ${x} % ${y} + ${y} < ${LEAST[call.type.kind]} THEN ${wraps} ELSE CAST((${x} % ${y} + ${y}) % ${y} AS ${target}) END`
    return zeroChecked(
      call,
      'REMAINDER_BY_ZERO',
      `CASE WHEN ${x} % ${y} < 0 THEN ${low} ELSE CAST(${x} % ${y} AS ${target}) END`,
    )
  },
}

/** The operation alone gives NULL where it fails; its arguments still fail. */
function tried(form: CallForm): CallForm {
  return {
    strict: true,
    compile: (call) => {
      if (mayAnyFail(call.args)) throw notCompiled(`${call.name} of an argument that may fail`)
      const { sql } = form.compile(call)
      if (sql.includes('error(')) throw notCompiled(`${call.name} of ${call.types.map(typeName).join(' and ')}`)
      return { sql: `TRY(${sql})`, mayFail: false }
    },
  }
}

const LEAST: Readonly<Record<string, string>> = {
  byte: '-128',
  short: '-32768',
  integer: '-2147483648',
  long: '-9223372036854775808',
}

function signChange(name: 'negative' | 'abs', sql: (a: string) => string): CallForm {
  return {
    strict: true,
    compile: (call) => {
      refuseIntervals(call)
      const [a] = sqlOf(call) as [string]
      const least = LEAST[call.type.kind]
      if (least === undefined) return { sql: sql(a), mayFail: mayAnyFail(call.args) }
      const error = raise('ARITHMETIC_OVERFLOW', { operation: name, type: typeName(call.type) })
      return failing(`CASE WHEN ${a} = ${least} THEN ${error} ELSE ${sql(a)} END`)
    },
  }
}

export const arithmeticForms: readonly (readonly [string, CallForm])[] = [
  ['+', plain('+')],
  ['-', plain('-')],
  ['*', plain('*')],
  ['/', divide],
  ['%', remainder],
  ['div', wholeQuotient],
  ['pmod', positiveRemainder],
  ['try_add', tried(plain('+'))],
  ['try_subtract', tried(plain('-'))],
  ['try_multiply', tried(plain('*'))],
  ['negative', signChange('negative', (a) => `(- ${a})`)],
  ['abs', signChange('abs', (a) => `abs(${a})`)],
  ['&', strict(([a, b]) => `(${a} & ${b})`)],
  ['|', strict(([a, b]) => `(${a} | ${b})`)],
  ['^', strict(([a, b]) => `xor(${a}, ${b})`)],
  ['~', strict(([a]) => `(~ ${a})`)],
]
