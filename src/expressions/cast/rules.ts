/** Which casts there are in ANSI mode, and how a missing one is answered. Source: Spark's `Cast.canAnsiCast`. */
import { deltaError, type ErrorCode } from '../../errors/index.ts'
import { formatType, isIntegral, isNumeric } from '../../schema/index.ts'
import { type ExpressionType, isInterval } from '../expression.ts'
import { unsupported } from '../unsupported.ts'

const PLAIN = 'DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION'
const BY_SETTING = 'DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION'
const BY_FUNCTION = 'DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION'

export function typeText(type: ExpressionType): string {
  return isInterval(type) ? type.text : formatType(type)
}

/**
 * Refuses a cast that does not exist.
 *
 * @throws DeltaError `DATATYPE_MISMATCH.CAST_…`; `LAKE_EXPRESSION_UNSUPPORTED` for variants
 */
export function checkCast(from: ExpressionType, to: ExpressionType, safe: boolean): void {
  const code = refusal(from, to, safe)
  if (code === undefined) return
  const functions = from.kind === 'date' ? 'unix_date' : 'date_from_unix_date'
  throw deltaError(code, { from: typeText(from), to: typeText(to), functions })
}

/** Whether the cast exists. */
export function canCast(from: ExpressionType, to: ExpressionType, safe = false): boolean {
  return refusal(from, to, safe) === undefined
}

function refusal(from: ExpressionType, to: ExpressionType, safe: boolean): ErrorCode | undefined {
  if (from.kind === 'void' || typeText(from) === typeText(to)) return undefined
  if (from.kind === 'variant' || to.kind === 'variant') {
    throw unsupported('a cast of a variant', 'keep the value as JSON text')
  }
  if (to.kind === 'void') return PLAIN
  if (to.kind === 'string') return undefined
  if (isInterval(from) || isInterval(to)) return intervalRefusal(from, to)
  if (from.kind === 'array' || from.kind === 'map' || from.kind === 'struct') return nestedRefusal(from, to, safe)
  if (from.kind === 'string') return ATOMS.has(to.kind) ? undefined : PLAIN
  if (isNumeric(from)) return numericRefusal(from, to)
  return ATOM_CASTS.get(`${from.kind} ${isNumeric(to) ? 'numeric' : to.kind}`) ?? PLAIN_UNLESS_ALLOWED(from, to)
}

const ATOMS = new Set<string>([
  ...[
    'boolean',
    'byte',
    'short',
    'integer',
    'long',
    'float',
    'double',
    'decimal',
    'date',
    'timestamp',
    'timestamp_ntz',
  ],
  'binary',
])

/** Casts of boolean, date and timestamp that Spark names another way for. */
const ATOM_CASTS: ReadonlyMap<string, ErrorCode> = new Map([
  ['boolean timestamp', BY_SETTING],
  ['date boolean', BY_SETTING],
  ['timestamp boolean', BY_SETTING],
  ['date numeric', BY_FUNCTION],
])
const ALLOWED = new Set([
  ...['boolean numeric', 'date timestamp', 'date timestamp_ntz', 'timestamp date', 'timestamp timestamp_ntz'],
  ...['timestamp numeric', 'timestamp_ntz date', 'timestamp_ntz timestamp'],
])

function PLAIN_UNLESS_ALLOWED(from: ExpressionType, to: ExpressionType): ErrorCode | undefined {
  return ALLOWED.has(`${from.kind} ${!isInterval(to) && isNumeric(to) ? 'numeric' : to.kind}`) ? undefined : PLAIN
}

function numericRefusal(from: ExpressionType, to: ExpressionType): ErrorCode | undefined {
  if (isInterval(to) || isInterval(from)) return PLAIN
  if (isNumeric(to) || to.kind === 'boolean' || to.kind === 'timestamp') return undefined
  if (to.kind === 'date') return BY_FUNCTION
  return to.kind === 'binary' && isIntegral(from) ? BY_SETTING : PLAIN
}

function intervalRefusal(from: ExpressionType, to: ExpressionType): ErrorCode | undefined {
  if (isInterval(from) && isInterval(to)) return from.kind === to.kind ? undefined : PLAIN
  const other = isInterval(from) ? to : from
  if (isInterval(other)) return PLAIN
  if (isIntegral(other) || other.kind === 'decimal') return undefined
  return other.kind === 'string' && other === from ? undefined : PLAIN
}

function nestedRefusal(from: ExpressionType, to: ExpressionType, safe: boolean): ErrorCode | undefined {
  const every = (pairs: readonly (readonly [ExpressionType, ExpressionType])[]): ErrorCode | undefined =>
    pairs.every(([a, b]) => refusal(a, b, safe) === undefined) ? undefined : PLAIN
  if (from.kind === 'array' && to.kind === 'array') return every([[from.element, to.element]])
  if (from.kind === 'map' && to.kind === 'map') {
    if (safe && !keepsNotNull(from.key, to.key)) return PLAIN
    return every([
      [from.key, to.key],
      [from.value, to.value],
    ])
  }
  if (from.kind !== 'struct' || to.kind !== 'struct' || from.fields.length !== to.fields.length) return PLAIN
  return every(from.fields.map((f, i) => [f.type, to.fields[i]!.type] as const))
}

/** Whether TRY_CAST of a map's key can never give NULL. */
function keepsNotNull(from: ExpressionType, to: ExpressionType): boolean {
  if (typeText(from) === typeText(to) || to.kind === 'string') return true
  const order = ['byte', 'short', 'integer', 'long', 'float', 'double']
  const [low, high] = [order.indexOf(from.kind), order.indexOf(to.kind)]
  return low !== -1 && low <= high
}
