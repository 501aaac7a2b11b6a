/** Which types hold every value of another, so that SQL casts one into the other without being asked. */
import type { DataType } from '../../schema/index.ts'

const RANKS: ReadonlyMap<string, number> = new Map(
  ['byte', 'short', 'integer', 'long', 'float', 'double'].map((kind, rank) => [kind, rank]),
)
const DIGITS: ReadonlyMap<string, number> = new Map([
  ['byte', 3],
  ['short', 5],
  ['integer', 10],
  ['long', 20],
])

/** Whether every value of a type has its place in another; of types that are not nested. */
export function holdsAll(from: DataType, to: DataType): boolean {
  if (to.kind === 'string') return !['struct', 'array', 'map', 'binary', 'variant'].includes(from.kind)
  if (from.kind === 'date') return to.kind === 'timestamp' || to.kind === 'timestamp_ntz'
  if (from.kind === 'timestamp' || from.kind === 'timestamp_ntz') return to.kind.startsWith('timestamp')
  const [low, high] = [RANKS.get(from.kind), RANKS.get(to.kind)]
  if (low !== undefined && high !== undefined) return low < high
  if (to.kind !== 'decimal') return from.kind === 'decimal' && to.kind === 'double'
  const whole = from.kind === 'decimal' ? from.precision - from.scale : DIGITS.get(from.kind)
  const scale = from.kind === 'decimal' ? from.scale : 0
  return whole !== undefined && to.scale >= scale && to.precision - to.scale >= whole
}
