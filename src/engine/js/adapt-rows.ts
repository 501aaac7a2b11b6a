/**
 * Rows of a source as rows of a table: columns by name, values cast only where nothing is lost.
 *
 * NOT NULL is checked here, at every depth, before a row is kept.
 */
import { deltaError } from '../../errors/index.ts'
import {
  type DataType,
  findField,
  formatType,
  type MapEntry,
  type Row,
  type StructType,
  type Value,
} from '../../schema/index.ts'
import { Decimal, fitsPrecision, MICROS_PER_DAY } from '../../support/index.ts'

type Adapt = (value: Value) => Value

const NONE: ReadonlySet<number> = new Set()

/**
 * A function that turns a row of `from` into a row of `to`.
 *
 * Columns are found by name as SQL finds them; one the source lacks is null.
 *
 * @param filled top-level ordinals of `to` that get their value later and may be null until then
 * @throws DeltaError `LAKE_LOSSY_WRITE` at once where two types differ in a way that could lose something; when called,
 * `DELTA_NOT_NULL_CONSTRAINT_VIOLATED`, and `LAKE_LOSSY_WRITE` for a value that does not fit
 */
export function rowAdapter(from: StructType, to: StructType, filled: ReadonlySet<number>): (row: Row) => Value[] {
  return adaptMembers(from, to, [], filled)
}

function adaptMembers(
  from: StructType,
  to: StructType,
  path: readonly string[],
  filled: ReadonlySet<number> = NONE,
): (row: Row) => Value[] {
  const members = to.fields.map((member, i) => {
    const at = [...path, member.name]
    const source = findField(from, member.name)
    const adapt = source === undefined ? () => null : adapterFor(source.type, member.type, at)
    return {
      ordinal: source === undefined ? -1 : from.fields.indexOf(source),
      adapt: required(adapt, member.nullable || filled.has(i), at),
    }
  })
  return (row) => members.map(({ ordinal, adapt }) => adapt(row[ordinal] ?? null))
}

function required(adapt: Adapt, nullable: boolean, path: readonly string[]): Adapt {
  if (nullable) return adapt
  return (value) => {
    const adapted = adapt(value)
    if (adapted === null) throw deltaError('DELTA_NOT_NULL_CONSTRAINT_VIOLATED', { column: path.join('.') })
    return adapted
  }
}

function adapterFor(from: DataType, to: DataType, path: readonly string[]): Adapt {
  const adapt = presentAdapter(from, to, path)
  return (value) => (value === null ? null : adapt(value))
}

function presentAdapter(from: DataType, to: DataType, path: readonly string[]): Adapt {
  if (to.kind === 'struct' && from.kind === 'struct') {
    const adapt = adaptMembers(from, to, path)
    return (value) => adapt(value as Row)
  }
  if (to.kind === 'array' && from.kind === 'array') {
    const at = [...path, 'element']
    const adapt = required(adapterFor(from.element, to.element, at), to.containsNull, at)
    return (value) => (value as readonly Value[]).map(adapt)
  }
  if (to.kind === 'map' && from.kind === 'map') return mapAdapter(from, to, path)
  return leafAdapter(from, to, path)
}

function mapAdapter(from: DataType & { kind: 'map' }, to: DataType & { kind: 'map' }, path: readonly string[]): Adapt {
  const keyPath = [...path, 'key']
  const valuePath = [...path, 'value']
  const key = required(adapterFor(from.key, to.key, keyPath), false, keyPath)
  const value = required(adapterFor(from.value, to.value, valuePath), to.valueContainsNull, valuePath)
  return (entries) =>
    (entries as readonly MapEntry[]).map((entry) => ({ key: key(entry.key), value: value(entry.value) }))
}

const WHOLE = ['byte', 'short', 'integer', 'long']

/** Widenings only; a decimal that gets wider digits is checked value by value. */
function leafAdapter(from: DataType, to: DataType, path: readonly string[]): Adapt {
  if (from.kind === to.kind && from.kind !== 'decimal') return (value) => value
  if (from.kind === 'void') return () => null
  const rank = WHOLE.indexOf(from.kind)
  if (to.kind === 'long' && rank >= 0) return (value) => BigInt(value as number)
  if (rank >= 0 && rank < WHOLE.indexOf(to.kind)) return (value) => value
  if (to.kind === 'double' && (from.kind === 'float' || (rank >= 0 && rank < 3))) return (value) => value
  if (to.kind === 'float' && rank >= 0 && rank < 2) return (value) => value
  if (to.kind === 'timestamp_ntz' && from.kind === 'date') return (days) => BigInt(days as number) * MICROS_PER_DAY
  if (to.kind === 'decimal' && rank >= 0) {
    return decimalAdapter(to, path, (value) => new Decimal(BigInt(value as number | bigint), 0))
  }
  if (to.kind === 'decimal' && from.kind === 'decimal' && from.scale <= to.scale) {
    return decimalAdapter(to, path, (value) => value as Decimal)
  }
  throw deltaError('LAKE_LOSSY_WRITE', { column: path.join('.'), what: formatType(from), type: formatType(to) })
}

function decimalAdapter(
  to: DataType & { kind: 'decimal' },
  path: readonly string[],
  read: (v: Value) => Decimal,
): Adapt {
  return (value) => {
    const { unscaled, scale } = read(value)
    const scaled = new Decimal(unscaled * 10n ** BigInt(to.scale - scale), to.scale)
    if (fitsPrecision(scaled.unscaled, to.precision)) return scaled
    throw deltaError('LAKE_LOSSY_WRITE', { column: path.join('.'), what: `${read(value)}`, type: formatType(to) })
  }
}
