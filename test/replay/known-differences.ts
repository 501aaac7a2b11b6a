/**
 * Where a script run again here goes another way than the reference did, and why.
 *
 * A difference is known when it matches the text. One that no longer occurs fails the test, so that this list stays true.
 */
export interface KnownDifference {
  readonly text: RegExp
  readonly why: string
  /** the engine it occurs on; both when absent */
  readonly engine?: 'js' | 'duckdb'
}

export const knownDifferences: ReadonlyMap<string, readonly KnownDifference[]> = new Map([])

/** @returns differences that are not known, and known ones that did not occur */
export function unknownOf(name: string, engine: string, differences: readonly string[]): string[] {
  const known = (knownDifferences.get(name) ?? []).filter((one) => one.engine === undefined || one.engine === engine)
  const fresh = differences.filter((difference) => !known.some(({ text }) => text.test(difference)))
  const gone = known.filter(({ text }) => !differences.some((difference) => text.test(difference)))
  return [...fresh, ...gone.map(({ text, why }) => `${text} no longer occurs (${why})`)]
}
