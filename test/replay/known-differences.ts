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
  /** true: it hangs on chance */
  readonly sometimes?: boolean
}

const setting = 'a setting that is not of this package is refused by name'
const query = 'a bare SELECT answers as DuckDB does: names of columns as the table spells them, its own types of counts'
const partition = 'a text that reads like the null of a directory is kept as a text here'
const internal = 'the reference ends in an internal error; here the column is named'
const files = 'the rows that MERGE inserts with identity numbers are a file of their own'
const order = 'the order in which files get their first row ids is open'
const noWriter = 'the feature is refused by name: nothing here keeps its rules yet'
const collation = 'collations are not written'
const olderName = 'the older name of catalogManaged is known, and refused with it'
const noView = 'there are no views here'
const noVariant = 'parse_json is none of the functions here, so that no variant is made by a statement'
const noUniform = 'tables of Iceberg are not written'

export const knownDifferences: ReadonlyMap<string, readonly KnownDifference[]> = new Map([
  ['clone-shallow', [{ text: /^statement 10, /, why: 'a deep clone is made here' }]],
  ['catalog-managed-attempts', [{ text: /^statement 2, .*needs the table features catalogManaged/, why: olderName }]],
  ['ckpt-multipart', [{ text: /^statement 1, .*LAKE_SETTING_UNKNOWN/, why: setting }]],
  ['ckpt-v2-json', [{ text: /^statement 1, .*LAKE_SETTING_UNKNOWN/, why: setting }]],
  ['ckpt-v2-parquet', [{ text: /^statement [12], .*LAKE_SETTING_UNKNOWN/, why: setting }]],
  [
    'collations',
    [
      { text: /^statement 2, .*LAKE_SETTING_UNKNOWN/, why: setting },
      { text: /^statement 3, .*(DELTA_UNSUPPORTED_DATA_TYPES|0 versions)/, why: collation },
      { text: /^stopped at 3/, why: collation },
    ],
  ],
  [
    'iceberg-compat-v2',
    [{ text: /^(statement 1, .*DELTA_UNSUPPORTED_FEATURES_FOR_WRITE|.*0 versions|stopped at 1)/, why: noWriter }],
  ],
  [
    'iceberg-compat-v3',
    [{ text: /^(statement 1, .*DELTA_UNSUPPORTED_FEATURES_FOR_WRITE|.*0 versions|stopped at 1)/, why: noWriter }],
  ],
  [
    'identity-always',
    [
      { text: /^statement 6, .*numTargetFilesAdded=2/, why: files },
      { text: /^statement 7, .*numRemovedFiles=3/, why: files },
    ],
  ],
  ['merge-errors', [{ text: /^statement (9|10|11|14), .*DELTA_MERGE_UNRESOLVED_EXPRESSION/, why: internal }]],
  ['names-mapped-case', [{ text: /^statement 7, .*columns: Id integer/, why: query, engine: 'duckdb' }]],
  [
    'part-special-strings',
    [
      { text: /^statement [256], .*__HIVE_DEFAULT_PARTITION__/, why: partition },
      { text: /^statement 2, .*numFiles=34/, why: partition, engine: 'duckdb' },
      { text: /^statement 4, /, why: partition, engine: 'duckdb' },
    ],
  ],
  ['drop-errors-nonremovable', [{ text: /^(statement|stopped at) 2[,:]/, why: noVariant }]],
  ['reorg-upgrade-uniform-attempt', [{ text: /^(statement|stopped at) 4[,:]/, why: noUniform }]],
  ['variant-basic', [{ text: /^(statement|stopped at) 2[,:]/, why: noVariant, engine: 'duckdb' }]],
  [
    'variant-shredded',
    [
      { text: /^statement [23], .*LAKE_SETTING_UNKNOWN/, why: setting },
      { text: /^(statement|stopped at) 4[,:]/, why: noVariant, sometimes: true },
    ],
  ],
  ['row-tracking-backfill', [{ text: /^statement [57], /, why: order, sometimes: true }]],
  ['types-void-char-varchar', [{ text: /^statement 7, .*lc long/, why: query, engine: 'duckdb' }]],
  [
    'vacuum-lite',
    [
      {
        text: /^statement 9, .*(numFilesToDelete|numDeletedFiles)=6/,
        why: 'an UPDATE writes two files of changes here',
      },
      { text: /^statement 13, .*latestCommitVersionOutsideOfRetentionWindow/, why: 'the reference writes no number' },
    ],
  ],
  [
    'drop-deletion-vectors',
    [
      {
        text: /^statement 9, .*accepted/,
        why: 'what is absent, with nothing left of it, is dropped already',
        sometimes: true,
      },
    ],
  ],
  ['vacuum-inventory', [{ text: /^statement 9, .*TABLE_OR_VIEW_NOT_FOUND/, why: noView }]],
])

/** Statements that the reference ends with an internal error and that do what they say here: they are left out. */
export const leftOut: ReadonlyMap<string, readonly number[]> = new Map([['defaults', [7]]])

/** Of an engine without SQL, what asks a table is not compared. */
const NO_SQL = /LAKE_ENGINE_HAS_NO_SQL/

/** The number of the statement a difference is about. */
function numberOf(difference: string): string | undefined {
  return /^(?:statement|stopped at) (\d+)/.exec(difference)?.[1]
}

/** @returns differences that are not known, and known ones that did not occur */
export function unknownOf(name: string, engine: string, differences: readonly string[]): string[] {
  const known = (knownDifferences.get(name) ?? []).filter((one) => one.engine === undefined || one.engine === engine)
  const unasked = new Set(differences.filter((text) => NO_SQL.test(text)).map(numberOf))
  const fresh = differences.filter((text) => {
    return !unasked.has(numberOf(text)) && !known.some((difference) => difference.text.test(text))
  })
  const gone = known.filter(
    ({ text, sometimes }) => !sometimes && !differences.some((difference) => text.test(difference)),
  )
  return [...fresh, ...gone.map(({ text, why }) => `${text} no longer occurs (${why})`)]
}
