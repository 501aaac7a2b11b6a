/**
 * Casts as SQL, with Spark's values and errors in ANSI mode.
 *
 * Each is written as SQL that is NULL where the value does not fit; a safe cast is that SQL, an ordinary one raises the
 * error in its place. Texts are looked at by pattern before DuckDB parses them, because it accepts other forms.
 */
import type { ErrorCode } from '../../../errors/index.ts'
import { type ExpressionType, isInterval } from '../../../expressions/index.ts'
import { type DataType, type DecimalType, isIntegral, isNumeric, stringType } from '../../../schema/index.ts'
import { literal } from '../values/literal.ts'
import { LOGICAL, sqlType } from '../values/sql-type.ts'
import { type Fragment, failing, notCompiled, raise, safe, typeName } from './fragment.ts'

/** What a cast does: SQL that never fails, or SQL that is NULL where the value does not fit, and the error then. */
type Attempt =
  | { readonly kind: 'total'; readonly sql: string }
  | {
      readonly kind: 'partial'
      readonly sql: string
      readonly code: ErrorCode
      /** SQL of a condition under which NULL is right, besides the value being NULL */
      readonly nothing?: string
      /** SQL of a condition, and the error instead of `code` where it holds */
      readonly unless?: { readonly condition: string; readonly code: ErrorCode }
    }

const total = (sql: string): Attempt => ({ kind: 'total', sql })
const partial = (
  sql: string,
  code: ErrorCode,
  more: Partial<Pick<Extract<Attempt, { kind: 'partial' }>, 'nothing' | 'unless'>> = {},
): Attempt => ({ kind: 'partial', sql, code, ...more })

export interface CastRequest {
  readonly from: ExpressionType
  readonly to: ExpressionType
  readonly safe: boolean
}

/** @throws DeltaError `LAKE_EXPRESSION_NOT_COMPILED` for casts SQL does not do as Spark does */
export function compileCast(child: Fragment, request: CastRequest): Fragment {
  const { from, to } = request
  if (typeName(from) === typeName(to)) return child
  if (!isInterval(to) && from.kind === 'void') return safe(`CAST(NULL AS ${sqlType(to, LOGICAL)})`)
  if (isInterval(from) || isInterval(to)) throw notCompiled(castName(request))
  const attempt = attemptOf(child.sql, from, to)
  if (attempt === undefined) throw notCompiled(castName(request))
  if (attempt.kind === 'total' || request.safe) return { sql: attempt.sql, mayFail: child.mayFail }
  const details = { from: typeName(from), to: typeName(to), type: typeName(to) }
  const error = (code: ErrorCode) => raise(code, details, { value: shown(child.sql, from) })
  const { unless, nothing } = attempt
  const failure = unless
    ? `CASE WHEN ${unless.condition} THEN ${error(unless.code)} ELSE ${error(attempt.code)} END`
    : error(attempt.code)
  const condition = nothing ? `${child.sql} IS NOT NULL AND NOT ${nothing}` : `${child.sql} IS NOT NULL`
  return failing(`CASE WHEN ${condition} THEN coalesce(${attempt.sql}, ${failure}) END`)
}

function castName({ from, to }: CastRequest): string {
  return `the cast from ${typeName(from)} to ${typeName(to)}`
}

/** A value in an error; binary as hex, since its bytes may be no text. */
function shown(sql: string, type: DataType): string {
  return type.kind === 'binary' ? `hex(${sql})` : sql
}

function attemptOf(x: string, from: DataType, to: DataType): Attempt | undefined {
  switch (to.kind) {
    case 'string':
      return toText(x, from)
    case 'boolean':
      return toBoolean(x, from)
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return toIntegral(x, from, to)
    case 'float':
    case 'double':
      return toFloating(x, from, to)
    case 'decimal':
      return toDecimal(x, from, to)
    case 'date':
      return toDate(x, from)
    case 'timestamp':
    case 'timestamp_ntz':
      return toTimestamp(x, from, to)
    case 'binary':
      return from.kind === 'string' ? total(`encode(${x})`) : undefined
    default:
      return undefined
  }
}

/** What Java's `trim` takes off: characters up to U+0020. */
const JAVA_BLANKS = literal(Array.from({ length: 33 }, (_, code) => String.fromCharCode(code)).join(''), stringType)
/** Characters that casts do not see at either end: those and DEL. */
const BLANKS = `(${JAVA_BLANKS} || chr(127))`

function toBoolean(x: string, from: DataType): Attempt | undefined {
  if (isNumeric(from)) return total(`(${x} <> 0)`)
  if (from.kind !== 'string') return undefined
  const text = `lower(trim(${x}, ${BLANKS}))`
  // no IN here: DuckDB makes a join of it, which runs for every row, whatever CASE it stands in
  const yes = `regexp_full_match(${text}, 't|true|y|yes|1')`
  const no = `regexp_full_match(${text}, 'f|false|n|no|0')`
  return partial(`CASE WHEN ${yes} THEN true WHEN ${no} THEN false END`, 'CAST_INVALID_INPUT')
}

function toIntegral(x: string, from: DataType, to: DataType): Attempt | undefined {
  const target = sqlType(to, LOGICAL)
  switch (from.kind) {
    case 'boolean':
      return total(`CAST(${x} AS ${target})`)
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return WIDTHS[from.kind]! < WIDTHS[to.kind]!
        ? total(`CAST(${x} AS ${target})`)
        : partial(`TRY_CAST(${x} AS ${target})`, 'CAST_OVERFLOW')
    case 'decimal':
      return partial(`TRY_CAST(trunc(${x}) AS ${target})`, 'CAST_OVERFLOW')
    case 'float':
    case 'double':
      return partial(doubleToWhole(`CAST(${x} AS DOUBLE)`, to), 'CAST_OVERFLOW')
    case 'timestamp':
      return partial(`TRY_CAST(${floorSeconds(x)} AS ${target})`, 'CAST_OVERFLOW')
    case 'string': {
      const text = `trim(${x}, ${BLANKS})`
      const digits = `TRY_CAST(replace(${text}, '+', '') AS ${target})`
      return partial(
        `CASE WHEN regexp_full_match(${text}, '[+-]?[0-9]{1,1000}') THEN ${digits} END`,
        'CAST_INVALID_INPUT',
      )
    }
    default:
      return undefined
  }
}

const WIDTHS: Readonly<Record<string, number>> = { byte: 8, short: 16, integer: 32, long: 64 }

/** Towards zero; a double of 2^63 is the largest long, as Java's conversion has it. */
function doubleToWhole(x: string, to: DataType): string {
  const target = sqlType(to, LOGICAL)
  if (to.kind === 'long') {
    const inside = `${x} >= -9223372036854775808::DOUBLE AND ${x} < 9223372036854775808::DOUBLE`
    return `CASE WHEN ${inside} THEN CAST(trunc(${x}) AS BIGINT) WHEN ${x} = 9223372036854775808::DOUBLE THEN 9223372036854775807 END`
  }
  const high = 2 ** (WIDTHS[to.kind]! - 1)
  return `CASE WHEN ${x} > ${-high - 1}::DOUBLE AND ${x} < ${high}::DOUBLE THEN CAST(trunc(${x}) AS ${target}) END`
}

/** Whole seconds since 1970, towards the past. */
function floorSeconds(x: string): string {
  const micros = `epoch_us(${x})`
  return `((${micros} - (((${micros} % 1000000) + 1000000) % 1000000)) // 1000000)`
}

function toFloating(x: string, from: DataType, to: DataType): Attempt | undefined {
  const target = sqlType(to, LOGICAL)
  switch (from.kind) {
    case 'boolean':
    case 'byte':
    case 'short':
    case 'integer':
    case 'float':
      return total(`CAST(${x} AS ${target})`)
    case 'long':
      return to.kind === 'double' ? total(`CAST(${x} AS DOUBLE)`) : total(`CAST(CAST(${x} AS VARCHAR) AS FLOAT)`)
    case 'double':
      return total(doubleToFloat(x))
    case 'decimal':
      // by way of the text: dividing an integer by a power of ten rounds twice
      return total(`CAST(CAST(${x} AS VARCHAR) AS ${target})`)
    case 'timestamp':
      return to.kind === 'double' ? total(`(CAST(epoch_us(${x}) AS DOUBLE) / 1000000::DOUBLE)`) : undefined
    case 'string':
      return partial(textToFloating(x, target), 'CAST_INVALID_INPUT')
    default:
      return undefined
  }
}

/** What is beyond the largest float becomes infinite, where DuckDB refuses it. */
function doubleToFloat(x: string): string {
  const beyond = '3.4028235677973366e38::DOUBLE'
  return `CASE WHEN ${x} >= ${beyond} AND NOT isnan(${x}) THEN 'Infinity'::FLOAT WHEN ${x} <= -${beyond} THEN '-Infinity'::FLOAT ELSE TRY_CAST(${x} AS FLOAT) END`
}

function textToFloating(x: string, target: string): string {
  const text = `trim(${x}, ${JAVA_BLANKS})`
  const digits = `regexp_replace(${text}, '[fFdD]$', '')`
  const pattern = `'[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?'`
  // a text of digits that is no finite number is beyond the largest one
  const huge = `CASE WHEN starts_with(${text}, '-') THEN '-Infinity'::${target} ELSE 'Infinity'::${target} END`
  return `CASE
    WHEN regexp_full_match(${text}, ${pattern}) THEN coalesce(TRY_CAST(${digits} AS ${target}), ${huge})
    WHEN regexp_full_match(${text}, '(?i)[+]?inf(inity)?') THEN 'Infinity'::${target}
    WHEN regexp_full_match(${text}, '(?i)-inf(inity)?') THEN '-Infinity'::${target}
    WHEN lower(${text}) = 'nan' OR ${text} = '+NaN' OR ${text} = '-NaN' THEN 'NaN'::${target}
    WHEN regexp_matches(${text}, '^[+-]?0[xX]') THEN ${raise('LAKE_EXPRESSION_NOT_COMPILED', { what: 'a hexadecimal number as text' })}
    END`
}

function toDecimal(x: string, from: DataType, to: DataType): Attempt | undefined {
  const target = sqlType(to, LOGICAL)
  const outOfRange = 'NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION'
  switch (from.kind) {
    case 'boolean':
      return partial(`TRY_CAST(CAST(${x} AS INTEGER) AS ${target})`, outOfRange)
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'decimal':
      return partial(`TRY_CAST(${x} AS ${target})`, outOfRange)
    case 'float':
    case 'double': {
      // by the shortest text of the double, as Spark does
      const text = `CAST(CAST(${x} AS DOUBLE) AS VARCHAR)`
      const exponent = raise('LAKE_EXPRESSION_NOT_COMPILED', { what: 'a decimal of so large or so small a number' })
      const sql = `CASE WHEN contains(${text}, 'e') THEN ${exponent} WHEN isfinite(${x}) THEN TRY_CAST(${text} AS ${target}) END`
      return partial(sql, outOfRange, { nothing: `(NOT isfinite(${x}))` })
    }
    case 'string':
      return textToDecimal(x, target)
    default:
      return undefined
  }
}

function textToDecimal(x: string, target: string): Attempt {
  const text = `trim(${x}, ${JAVA_BLANKS})`
  const exponent = raise('LAKE_EXPRESSION_NOT_COMPILED', { what: 'a decimal with an exponent as text' })
  const isPlain = `regexp_full_match(${text}, '[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)')`
  const whole = `ltrim(regexp_extract(${text}, '^[+-]?([0-9]*)', 1), '0')`
  const sql = `CASE
    WHEN regexp_full_match(${text}, '[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)[eE][+-]?[0-9]{1,9}') THEN ${exponent}
    WHEN ${isPlain} THEN TRY_CAST(replace(${text}, '+', '') AS ${target}) END`
  const tooLong = { condition: `${isPlain} AND length(${whole}) > 38`, code: 'NUMERIC_OUT_OF_SUPPORTED_RANGE' as const }
  return partial(sql, 'CAST_INVALID_INPUT', { unless: tooLong })
}

function toText(x: string, from: DataType): Attempt | undefined {
  if (isIntegral(from) || from.kind === 'boolean') return total(`CAST(${x} AS VARCHAR)`)
  switch (from.kind) {
    case 'decimal':
      return total(decimalText(x, from))
    case 'float':
    case 'double':
      return total(floatText(x, from.kind))
    case 'date':
      return total(yearGuard(x, `CAST(${x} AS VARCHAR)`))
    case 'timestamp':
      return total(timestampText(`(${x} AT TIME ZONE 'UTC')`))
    case 'timestamp_ntz':
      return total(timestampText(x))
    default:
      return undefined
  }
}

/** DuckDB leaves out the zero before the point where a type has no digits there. */
function decimalText(x: string, type: DecimalType): string {
  if (type.precision > type.scale) return `CAST(${x} AS VARCHAR)`
  return `(CASE WHEN ${x} < 0 THEN '-0.' ELSE '0.' END || split_part(CAST(${x} AS VARCHAR), '.', 2))`
}

/** DuckDB writes years before 1 and after 9999 in its own way. */
function yearGuard(x: string, text: string): string {
  const outside = raise('LAKE_EXPRESSION_NOT_COMPILED', { what: 'the text of a year outside 1 to 9999' })
  return `CASE WHEN year(${x}) BETWEEN 1 AND 9999 THEN ${text} WHEN ${x} IS NOT NULL THEN ${outside} END`
}

function timestampText(x: string): string {
  const micros = `(extract(microsecond FROM ${x}) % 1000000)`
  const fraction = `CASE WHEN ${micros} = 0 THEN '' ELSE '.' || rtrim(lpad(CAST(${micros} AS VARCHAR), 6, '0'), '0') END`
  return yearGuard(x, `strftime(${x}, '%Y-%m-%d %H:%M:%S') || ${fraction}`)
}

/** Java's text of a float: plain from 10^-3 to 10^7, else one digit, a point, and an exponent. */
function floatText(x: string, kind: 'float' | 'double'): string {
  const text = `CAST(abs(${x}) AS VARCHAR)`
  const sign = `CASE WHEN ${x} < 0 THEN '-' ELSE '' END`
  // digits without leading and trailing zeros, and the place of the point counted from the first of them
  const mantissa = `split_part(${text}, 'e', 1)`
  const exponent = `coalesce(TRY_CAST(split_part(${text}, 'e', 2) AS INTEGER), 0)`
  const whole = `split_part(${mantissa}, '.', 1)`
  const fraction = `split_part(${mantissa}, '.', 2)`
  const all = `ltrim(${whole} || ${fraction}, '0')`
  const digits = `rtrim(${all}, '0')`
  const point = `(length(${whole}) + ${exponent} - 1 - (length(${whole} || ${fraction}) - length(${all})))`
  const scientific = `${digits}[1] || '.' || CASE WHEN length(${digits}) > 1 THEN ${digits}[2:] ELSE '0' END || 'E' || CAST(${point} AS VARCHAR)`
  const plain = `CASE WHEN contains(${text}, 'e') THEN ${raise('LAKE_INTERNAL', { what: 'a number of moderate size prints without an exponent' })} ELSE ${mantissa} END`
  // Java writes two digits where one would do; only here is that another number
  const tiny = raise('LAKE_EXPRESSION_NOT_COMPILED', { what: 'the text of a number next to zero' })
  return `CASE WHEN isnan(${x}) THEN 'NaN' WHEN isinf(${x}) THEN ${sign} || 'Infinity'
    WHEN ${x} <> 0 AND abs(${x}) < ${kind === 'float' ? '1e-43' : '1e-321'}::DOUBLE THEN ${tiny}
    WHEN ${x} = 0 THEN CASE WHEN signbit(${x}) THEN '-0.0' ELSE '0.0' END
    WHEN abs(${x}) >= 0.001 AND abs(${x}) < 10000000 THEN ${sign} || ${plain} ELSE ${sign} || ${scientific} END`
}

function toDate(x: string, from: DataType): Attempt | undefined {
  switch (from.kind) {
    case 'timestamp':
      return total(`CAST((${x} AT TIME ZONE 'UTC') AS DATE)`)
    case 'timestamp_ntz':
      return total(`CAST(${x} AS DATE)`)
    case 'string':
      return partial(textToDate(x), 'CAST_INVALID_INPUT')
    default:
      return undefined
  }
}

const DATE_TEXT = '[0-9]{4}(-[0-9]{1,2}(-[0-9]{1,2}([ T](?s:.*))?)?)?'
const ODD_YEAR = '[+-][0-9]{4,7}([^0-9](?s:.*))?|[0-9]{5,7}([^0-9](?s:.*))?|0000([^0-9](?s:.*))?'

function textToDate(x: string): string {
  const text = `trim(${x}, ${BLANKS})`
  const odd = raise('LAKE_EXPRESSION_NOT_COMPILED', { what: 'a date outside the years 1 to 9999 as text' })
  const days = `regexp_extract(${text}, '^([0-9]{4}(-[0-9]{1,2}(-[0-9]{1,2})?)?)', 1)`
  return `CASE WHEN regexp_full_match(${text}, '${ODD_YEAR}') THEN ${odd}
    WHEN regexp_full_match(${text}, '${DATE_TEXT}') THEN TRY_CAST(${wholeDate(days)} AS DATE) END`
}

/** Month and day 1 where they are left out. */
function wholeDate(text: string): string {
  return `(${text} || CASE length(${text}) - length(replace(${text}, '-', '')) WHEN 0 THEN '-1-1' WHEN 1 THEN '-1' ELSE '' END)`
}

function toTimestamp(x: string, from: DataType, to: DataType): Attempt | undefined {
  const zoned = to.kind === 'timestamp'
  const fromWall = (wall: string) => (zoned ? `(${wall} AT TIME ZONE 'UTC')` : wall)
  switch (from.kind) {
    case 'byte':
    case 'short':
    case 'integer':
      return zoned ? total(`make_timestamptz(CAST(${x} AS BIGINT) * 1000000)`) : undefined
    case 'long':
      return zoned ? total(longToTimestamp(x)) : undefined
    case 'date':
      return total(fromWall(`CAST(${x} AS TIMESTAMP)`))
    case 'timestamp_ntz':
    case 'timestamp':
      return total(`(${x} AT TIME ZONE 'UTC')`)
    case 'string':
      return partial(textToTimestamp(x, zoned), 'CAST_INVALID_INPUT')
    default:
      return undefined
  }
}

function longToTimestamp(x: string): string {
  const far = raise('LAKE_EXPRESSION_NOT_COMPILED', { what: 'a timestamp at the end of its range' })
  return `CASE WHEN ${x} BETWEEN -9223372022400 AND 9223372036853 THEN make_timestamptz(${x} * 1000000) WHEN ${x} IS NOT NULL THEN ${far} END`
}

const CLOCK = '([01]?[0-9]|2[0-3])(:[0-5]?[0-9](:[0-5]?[0-9](\\.[0-9]*)?)?)?'
const PLAIN_TIMESTAMP = `[0-9]{4}(-[0-9]{1,2}(-[0-9]{1,2}([ T]${CLOCK}Z?)?)?)?`

/** The forms people write; those with another zone, a time alone or an odd year are refused when they are met. */
function textToTimestamp(x: string, zoned: boolean): string {
  const text = `trim(${x}, ${BLANKS})`
  const odd = raise('LAKE_EXPRESSION_NOT_COMPILED', {
    what: 'a timestamp text with a zone or a year outside 1 to 9999',
  })
  const days = `regexp_extract(${text}, '^([0-9]{4}(-[0-9]{1,2}(-[0-9]{1,2})?)?)', 1)`
  const clock = `rtrim(regexp_extract(${text}, '[ T](.*)$', 1), 'Z')`
  const [hour, minute, second, fraction] = [
    `split_part(${clock}, ':', 1)`,
    `split_part(${clock}, ':', 2)`,
    `split_part(split_part(${clock}, ':', 3), '.', 1)`,
    `split_part(${clock}, '.', 2)`,
  ]
  const number = (part: string) => `coalesce(TRY_CAST(${part} AS BIGINT), 0)`
  const micros = `coalesce(TRY_CAST(left(rpad(${fraction}, 6, '0'), 6) AS BIGINT), 0)`
  const ofDay = `((${number(hour)} * 60 + ${number(minute)}) * 60 + ${number(second)}) * 1000000 + ${micros}`
  const wall = `make_timestamp(epoch_us(CAST(TRY_CAST(${wholeDate(days)} AS DATE) AS TIMESTAMP)) + ${ofDay})`
  return `CASE WHEN regexp_full_match(${text}, '0000.*') THEN ${odd}
    WHEN regexp_full_match(${text}, '${PLAIN_TIMESTAMP}') THEN ${zoned ? `(${wall} AT TIME ZONE 'UTC')` : wall}
    WHEN regexp_matches(${text}, '^([+-]?[0-9]{4,7}|T?[0-9]{1,2}:|T[0-9])') THEN ${odd} END`
}
