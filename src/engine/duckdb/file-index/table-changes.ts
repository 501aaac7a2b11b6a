/** What is done to the tables of an index: rows of commits come in, rows they speak of end. */
import { canonicalPath } from '../../../kernel/index.ts'
import { printJson } from '../../../support/index.ts'
import type { DuckSession } from '../instance.ts'
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
export async function insertStaged(session: DuckSession, { files, removes }: Tables, version: number): Promise<void> {
  const [row] = await session.query(`SELECT count(*) FILTER (live), count(*) FROM (${NEWEST_STAGED})`)
  const [live, all] = row as [bigint, bigint]
  const life = `${version}, ${FOREVER}`
  if (live > 0n) {
    await session.run(`INSERT INTO ${files}
      SELECT h, key, path, dv, size, mtime, data_change, pv, stats, rest, ${life} FROM (${NEWEST_STAGED}) WHERE live`)
  }
  if (all > live) {
    await session.run(`INSERT INTO ${removes}
      SELECT h, key, path, dv, deleted_ms, action, ${life} FROM (${NEWEST_STAGED}) WHERE NOT live`)
  }
}

/** Ends the life of rows the staged actions speak of. */
export async function endStaged(session: DuckSession, { files, removes }: Tables, version: number): Promise<void> {
  // the semi-join on the hash touches one narrow column; texts are compared for the rows it leaves
  const hits = (table: string, kind: number) => `SELECT ${kind}, f.rowid FROM ${table} AS f
    JOIN staged AS s ON s.h = f.h AND s.canonical = coalesce(f.key, f.path) AND s.dv IS NOT DISTINCT FROM f.dv
    WHERE f.to_version = ${FOREVER}`
  const rows = await session.query(`SELECT DISTINCT * FROM (${hits(files, 0)} UNION ALL ${hits(removes, 1)})`)
  for (const [kind, table] of [files, removes].entries()) {
    const ids = rows.filter(([of]) => of === kind).map(([, id]) => id)
    if (ids.length > 0)
      await session.run(`UPDATE ${table} SET to_version = ${version} WHERE rowid IN (${ids.join(', ')})`)
  }
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

/** Of rows a checkpoint gives for one key the last stays, as in a replay. */
export async function keepLast(session: DuckSession, table: string): Promise<void> {
  const rows = `SELECT h, key, path, dv, rowid FROM ${table} WHERE from_version = ${FROM_CHECKPOINT}`
  const [row] = await session.query(`SELECT count(*), count(DISTINCT h) FROM (${rows})`)
  if (row![0] === row![1]) return
  await session.run(`DELETE FROM ${table} WHERE from_version = ${FROM_CHECKPOINT} AND rowid NOT IN (
    SELECT max(rowid) FROM (${rows}) GROUP BY coalesce(key, path), dv)`)
}

/** Ends rows of a checkpoint where the first commit that speaks of their key came. */
export async function endByKeys(session: DuckSession, table: string, keys: string): Promise<void> {
  const [{ length }, rows] = await session
    .query(
      `SELECT f.rowid, min(k.from_version) FROM ${table} AS f JOIN (${keys}) AS k
       ON k.h = f.h AND k.canonical = coalesce(f.key, f.path) AND k.dv IS NOT DISTINCT FROM f.dv
       WHERE f.from_version = ${FROM_CHECKPOINT} GROUP BY f.rowid`,
    )
    .then((found) => [found, found.map(([id, version]) => `(${id}, ${version})`).join(', ')] as const)
  if (length === 0) return
  await session.run(`UPDATE ${table} SET to_version = ended.v FROM (VALUES ${rows}) AS ended(id, v)
    WHERE ${table}.rowid = ended.id`)
}
