/** Ranges that cut the values of a column into about equal parts. */

/** A range is numbered by so many bits. */
export const RANGE_BITS = 8
/** Values looked at to find the ranges of a column. */
export const SAMPLE_ROWS = 20_000
/** Characters of a text that tell ranges apart. */
export const TEXT_CHARACTERS = 32

/**
 * The lower bounds of the ranges but the first, ascending, each once.
 *
 * A value lies in the range whose number is how many bounds are at or below it; null lies in the first.
 *
 * @param sorted values of some rows, ascending, without null
 */
export function rangeBounds<V>(sorted: readonly V[], isSame: (a: V, b: V) => boolean): readonly V[] {
  const ranges = 1 << RANGE_BITS
  const bounds: V[] = []
  for (let i = 1; i < ranges; i++) {
    const value = sorted[Math.ceil((sorted.length * i) / ranges)]
    if (value === undefined) break
    // the least value is in the first range anyway
    if (!isSame(bounds.at(-1) ?? sorted[0]!, value)) bounds.push(value)
  }
  return bounds
}

/** The range that holds the values just below a number: how many bounds are below it. */
export function rangeNumber(bounds: readonly number[], end: number): number {
  let from = 0
  let to = bounds.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (bounds[middle]! < end) from = middle + 1
    else to = middle
  }
  return from
}
