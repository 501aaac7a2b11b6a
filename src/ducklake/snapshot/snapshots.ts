/** The snapshots of a lake, and which one a version or a time means. */
import { deltaError } from '../../errors/index.ts'
import { type Catalog, safeNumber } from '../catalog/catalog.ts'

export interface SnapshotInfo {
  readonly id: number
  /** microseconds since 1970 */
  readonly timeMicros: bigint
  readonly schemaVersion: number
  /** the catalog's own words: `inserted_into_table:1`, with commas between them */
  readonly changes: string
  readonly author: string | undefined
  readonly message: string | undefined
  readonly extraInfo: string | undefined
}

/** Where to read: a snapshot's number, or a time; the newest when nothing is given. */
export interface LakePoint {
  readonly version?: number | undefined
  /** anything DuckDB reads as a time; UTC where it names no zone */
  readonly timestamp?: string | undefined
}

/** @param limit only the newest so many; @returns newest last */
export async function listSnapshots(catalog: Catalog, limit?: number): Promise<SnapshotInfo[]> {
  const rows = await catalog.query(
    `${select(catalog)} ORDER BY s.snapshot_id DESC ${limit === undefined ? '' : `LIMIT ${limit}`}`,
  )
  return rows.map(infoOf).reverse()
}

/**
 * @throws DeltaError `DUCKLAKE_SNAPSHOT_NOT_FOUND`, `DUCKLAKE_NO_SNAPSHOT_AT_TIME`, `LAKE_USAGE` for a text that is no
 * time
 */
export async function findSnapshot(catalog: Catalog, { version, timestamp }: LakePoint = {}): Promise<SnapshotInfo> {
  if (timestamp !== undefined) return await snapshotAtTime(catalog, timestamp)
  const where = version === undefined ? '' : `WHERE s.snapshot_id = ${version}`
  const [row] = await catalog.query(`${select(catalog)} ${where} ORDER BY s.snapshot_id DESC LIMIT 1`)
  if (row !== undefined) return infoOf(row)
  const [range] = await catalog.query(`SELECT min(snapshot_id), max(snapshot_id) FROM ${catalog.view('snapshot')}`)
  const held = range?.[0] == null ? 'none' : `${range[0]} to ${range[1]}, without those that were expired`
  throw deltaError('DUCKLAKE_SNAPSHOT_NOT_FOUND', { snapshot: version ?? 'newest', catalog: catalog.file.shown, held })
}

async function snapshotAtTime(catalog: Catalog, timestamp: string): Promise<SnapshotInfo> {
  const literal = `'${timestamp.replaceAll("'", "''")}'`
  const [parsed] = await catalog.query(`SELECT TRY_CAST(${literal} AS TIMESTAMPTZ)::VARCHAR`)
  if (parsed?.[0] == null) {
    const advice = 'write it like 2024-02-29T12:00:00Z'
    throw deltaError('LAKE_USAGE', { problem: `${JSON.stringify(timestamp)} is no time`, advice })
  }
  const [row] = await catalog.query(
    `${select(catalog)} WHERE s.snapshot_time <= ${literal}::TIMESTAMPTZ ORDER BY s.snapshot_time DESC, s.snapshot_id DESC LIMIT 1`,
  )
  if (row !== undefined) return infoOf(row)
  const [first] = await catalog.query(`SELECT min(snapshot_time)::VARCHAR FROM ${catalog.view('snapshot')}`)
  const earliest = first?.[0] ?? 'no time at all'
  throw deltaError('DUCKLAKE_NO_SNAPSHOT_AT_TIME', { catalog: catalog.file.shown, timestamp, earliest })
}

function select(catalog: Catalog): string {
  return `SELECT s.snapshot_id, epoch_us(s.snapshot_time), s.schema_version, coalesce(c.changes_made, ''), c.author,
            c.commit_message, c.commit_extra_info
     FROM ${catalog.view('snapshot')} s LEFT JOIN ${catalog.view('snapshot_changes')} c USING (snapshot_id)`
}

function infoOf(row: readonly (bigint | string | boolean | null)[]): SnapshotInfo {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return {
    id: safeNumber(row[0]),
    timeMicros: BigInt(row[1] ?? 0n),
    schemaVersion: safeNumber(row[2]),
    changes: String(row[3]),
    author: text(row[4]),
    message: text(row[5]),
    extraInfo: text(row[6]),
  }
}
