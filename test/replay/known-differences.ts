/**
 * Where a history done again by commands goes another way than the reference did, and why.
 *
 * A difference is known when it begins with the text. One that no longer occurs fails the test, so that this list stays
 * true.
 */
export interface KnownDifference {
  readonly text: RegExp
  readonly why: string
}

const refused = 'the feature is refused by name: nothing here keeps its rules yet'
const partition = 'a text that reads like the null of a directory is kept as a text here'

export const knownDifferences: ReadonlyMap<string, readonly KnownDifference[]> = new Map([
  ['iceberg-compat-v2', [{ text: /^statement 1, .*DELTA_UNSUPPORTED_FEATURES_FOR_WRITE/, why: refused }]],
  ['iceberg-compat-v3', [{ text: /^statement 1, .*DELTA_UNSUPPORTED_FEATURES_FOR_WRITE/, why: refused }]],
  ['drop-materialize-partition-columns', [{ text: /^statement 1, .*DELTA_UNSUPPORTED_FEATURES/, why: refused }]],
  ['materialize-partition-columns', [{ text: /^statement 1, .*DELTA_UNSUPPORTED_FEATURES/, why: refused }]],
  ['part-special-strings', [{ text: /^version [123] .*rows .*__HIVE_DEFAULT_PARTITION__/, why: partition }]],
])

/** @returns differences that are not known, and known ones that did not occur */
export function unknownOf(name: string, differences: readonly string[]): string[] {
  const known = knownDifferences.get(name) ?? []
  const fresh = differences.filter((difference) => !known.some(({ text }) => text.test(difference)))
  const gone = known.filter(({ text }) => !differences.some((difference) => text.test(difference)))
  return [...fresh, ...gone.map(({ text, why }) => `${text} no longer occurs (${why})`)]
}
