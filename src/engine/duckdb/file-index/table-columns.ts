/**
 * The tables an index is kept in, and the SQL that brings actions into their columns.
 *
 * One row is one file action with the versions between which it holds: `from_version <= v AND v < to_version`. `h` is the
 * hash of the canonical path, so that a commit finds the rows it ends without comparing texts; `key` is that path where
 * it differs from the log's text.
 */
import type { CheckpointGroup } from '../checkpoint/checkpoint-files.ts'
import { quoteIdent } from '../sql-text.ts'
import { canonicalPathSql } from './key-sql.ts'

/** The version that never comes: a row that still lives ends there. */
export const FOREVER = '9223372036854775807'

export const FILE_COLUMNS =
  'h UBIGINT, key VARCHAR, path VARCHAR, dv VARCHAR, size BIGINT, mtime BIGINT, data_change BOOLEAN, pv MAP(VARCHAR, VARCHAR), stats VARCHAR, rest VARCHAR'
export const REMOVE_COLUMNS = 'h UBIGINT, key VARCHAR, path VARCHAR, dv VARCHAR, deleted_ms BIGINT, action VARCHAR'
export const LIFE_COLUMNS = 'from_version BIGINT, to_version BIGINT'

/** Members of an add that few files have; kept together as JSON text. */
const REST = ['tags', 'deletionVector', 'baseRowId', 'defaultRowCommitVersion', 'clusteringProvider'] as const

const NO_ADDS = `SELECT ${nulls(FILE_COLUMNS)}, NULL::BIGINT AS place WHERE false`
const NO_REMOVES = `SELECT ${nulls(REMOVE_COLUMNS)}, NULL::BIGINT AS place WHERE false`

/**
 * The live files a checkpoint lists, with the columns of `FILE_COLUMNS` and `place`. `h` is NULL where the path is hard.
 *
 * @param only places: rows elsewhere are left out, and row groups that hold none are not read
 */
export function checkpointAdds(groups: readonly CheckpointGroup[], only?: readonly bigint[]): string {
  return groups.flatMap((group, i) => addsOfGroup(group, i, only)).join(' UNION ALL ') || NO_ADDS
}

function addsOfGroup(group: CheckpointGroup, ordinal: number, only: readonly bigint[] | undefined): string[] {
  const add = group.columns.get('add')
  if (add === undefined || !add.has('path')) return []
  const rest = REST.filter((name) => add.has(name))
  const packed = rest.map((name) => `${quoteIdent(name)} := ${add.member(name)}`).join(', ')
  const isThere = rest.map((name) => `${add.member(name)} IS NOT NULL`).join(' OR ')
  const restSql =
    rest.length === 0 ? 'NULL::VARCHAR' : `CASE WHEN ${isThere} THEN to_json(struct_pack(${packed}))::VARCHAR END`
  return [
    `SELECT CASE WHEN canonical IS NOT NULL THEN hash(canonical) END AS h, nullif(canonical, path) AS key, * EXCLUDE (canonical) FROM (
      SELECT ${canonicalPathSql(add.member('path'))} AS canonical, ${add.member('path')} AS path, ${add.vectorId} AS dv,
        coalesce(${add.member('size')}, error('an add has no size')::BIGINT) AS size,
        coalesce(${add.member('modificationTime')}, 0) AS mtime, coalesce(${add.member('dataChange')}, true) AS data_change,
        ${add.member('partitionValues')} AS pv, ${add.member('stats')} AS stats, ${restSql} AS rest,
        ${place(ordinal)} AS place
      FROM ${group.source} WHERE ${add.isPresent}${only === undefined ? '' : ` AND ${isAmong(only, ordinal)}`})`,
  ]
}

/** The tombstones a checkpoint lists, with the columns of `REMOVE_COLUMNS` and `place`. */
export function checkpointRemoves(groups: readonly CheckpointGroup[]): string {
  return groups.flatMap((group, i) => removesOfGroup(group, i)).join(' UNION ALL ') || NO_REMOVES
}

function removesOfGroup(group: CheckpointGroup, ordinal: number): string[] {
  const remove = group.columns.get('remove')
  if (remove === undefined || !remove.has('path')) return []
  return [
    `SELECT CASE WHEN canonical IS NOT NULL THEN hash(canonical) END AS h, nullif(canonical, path) AS key, * EXCLUDE (canonical) FROM (
      SELECT ${canonicalPathSql(remove.member('path'))} AS canonical, ${remove.member('path')} AS path,
        ${remove.vectorId} AS dv, coalesce(${remove.member('deletionTimestamp')}, 0) AS deleted_ms, ${remove.json}::VARCHAR AS action,
        ${place(ordinal)} AS place
      FROM ${group.source} WHERE ${remove.isPresent})`,
  ]
}

/** Whether a row of a group lies at one of the places. The bare row numbers are what DuckDB skips row groups by. */
function isAmong(places: readonly bigint[], group: number): string {
  const here = places.filter((one) => one >> 56n === BigInt(group))
  if (here.length === 0) return 'false'
  const numbers = [...new Set(here.map((one) => one & 0xfffffffffn))]
  return `file_row_number IN (${numbers.join(', ')}) AND ${place(group)} IN (${here.join(', ')})`
}

/** Where a row lies, as one number: the group of files, the file of the group, the row of the file. */
function place(group: number): string {
  return `(${BigInt(group) << 56n} + (file_index::BIGINT << 36) + file_row_number)`
}

/** The names of the columns of a declaration. */
export function columnNames(columns: string): string {
  return [...columns.matchAll(/(?:^|, )(\w+) (?!VARCHAR\))/g)].map((match) => match[1]).join(', ')
}

function nulls(columns: string): string {
  return columns
    .split(/, (?=\w+ (?!VARCHAR\)))/)
    .map((column) => {
      const [name, ...type] = column.split(' ')
      return `NULL::${type.join(' ')} AS ${name}`
    })
    .join(', ')
}
