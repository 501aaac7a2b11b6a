/** What is done to the tables of an index: rows of commits come in, rows they speak of end. */
import { canonicalPath } from '../../../kernel/index.ts'
import { printJson } from '../../../support/index.ts'
import type { DuckSession } from '../instance.ts'
import type { Totals } from './file-table.ts'
import { NEWEST_STAGED } from './staged-commits.ts'
import { FOREVER } from './table-columns.ts'

/** The version rows of a checkpoint live from: below all others, so that a commit's row of the same key is newer. */
export const FROM_CHECKPOINT = '-1'

/** Paths given to JavaScript at once. */
const HARD_PATHS_PAGE = 10_000

/** The two tables, by name. */
export interface Tables {
  readonly files: string
  readonly removes: string
}

/** Inserts what is newest of each staged key. */
export async function insertStaged(session: DuckSession, { files, removes }: Tables, version: number): Promise<Totals> {
  const [row] =
    await session.query(`SELECT count(*) FILTER (live), coalesce(sum(size) FILTER (live), 0)::BIGINT, count(*)
    FROM (${NEWEST_STAGED})`)
  const [live, size, all] = row as [bigint, bigint, bigint]
  const life = `${version}, ${FOREVER}`
  if (live > 0n) {
    await session.run(`INSERT INTO ${files}
      SELECT h, key, path, dv, size, mtime, data_change, pv, stats, rest, ${life} FROM (${NEWEST_STAGED}) WHERE live`)
  }
  if (all > live) {
    await session.run(`INSERT INTO ${removes}
      SELECT h, key, path, dv, deleted_ms, action, ${life} FROM (${NEWEST_STAGED}) WHERE NOT live`)
  }
  return { numFiles: Number(live), sizeInBytes: Number(size) }
}

/** Ends the life of rows the staged actions speak of; gives what lived. */
export async function endStaged(session: DuckSession, { files, removes }: Tables, version: number): Promise<Totals> {
  // the semi-join on the hash touches one narrow column; texts are compared for the rows it leaves
  const hits = (table: string, size: string, kind: number) => `SELECT ${kind}, f.rowid, ${size} FROM ${table} AS f
    JOIN staged AS s ON s.h = f.h AND s.canonical = coalesce(f.key, f.path) AND s.dv IS NOT DISTINCT FROM f.dv
    WHERE f.to_version = ${FOREVER}`
  const rows = await session.query(
    `SELECT DISTINCT * FROM (${hits(files, 'f.size', 0)} UNION ALL ${hits(removes, '0', 1)})`,
  )
  const ended = rows.filter(([kind]) => kind === 0)
  for (const [kind, table] of [files, removes].entries()) {
    const ids = rows.filter(([of]) => of === kind).map(([, id]) => id)
    if (ids.length > 0)
      await session.run(`UPDATE ${table} SET to_version = ${version} WHERE rowid IN (${ids.join(', ')})`)
  }
  return { numFiles: ended.length, sizeInBytes: ended.reduce((sum, [, , size]) => sum + Number(size), 0) }
}

/** The places of a checkpoint's rows that staged actions speak of. */
export async function placesOfStaged(session: DuckSession, rows: string): Promise<readonly bigint[]> {
  const found = await session.query(`SELECT c.place FROM (${rows}) AS c JOIN staged AS s
    ON s.h = c.h AND s.canonical = coalesce(c.key, c.path) AND s.dv IS NOT DISTINCT FROM c.dv`)
  return found.map(([place]) => place as bigint)
}

/** Gives rows whose path SQL cannot bring to its key the key the kernel computes. */
export async function keyHardPaths(session: DuckSession, table: string): Promise<void> {
  for (;;) {
    const rows = await session.query(`SELECT rowid, path FROM ${table} WHERE h IS NULL LIMIT ${HARD_PATHS_PAGE}`)
    if (rows.length === 0) return
    const keys = rows.map(([id, path]) => ({ id: id as bigint, canonical: canonicalPath(path as string) }))
    await session.connection.run(
      `UPDATE ${table} SET key = k.canonical, h = hash(k.canonical)
       FROM (SELECT unnest(from_json($1, '[{"id":"BIGINT","canonical":"VARCHAR"}]'), recursive := true)) AS k
       WHERE ${table}.rowid = k.id`,
      [printJson(keys)],
    )
  }
}

/**
 * Of rows with one key the newest stays: commits come after the checkpoint, and of a checkpoint that names a file twice
 * the last row counts, as in a replay. What an action of the other kind has ended goes as well.
 */
export async function keepNewest(session: DuckSession, table: string, isStaged: boolean): Promise<void> {
  if (isStaged)
    await session.run(`DELETE FROM ${table} WHERE from_version = ${FROM_CHECKPOINT} AND h IN (SELECT h FROM staged)
    AND rowid IN (SELECT f.rowid FROM ${table} AS f JOIN staged AS s
      ON s.h = f.h AND s.canonical = coalesce(f.key, f.path) AND s.dv IS NOT DISTINCT FROM f.dv)`)
  const [row] = await session.query(`SELECT count(*), count(DISTINCT h) FROM ${table}`)
  if (row![0] === row![1]) return
  await session.run(`DELETE FROM ${table} WHERE rowid NOT IN (
    SELECT arg_max(rowid, (from_version, rowid)) FROM ${table} GROUP BY coalesce(key, path), dv)`)
}
