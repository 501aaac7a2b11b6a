/**
 * The rows that changed between two snapshots.
 *
 * An insert is a row whose snapshot lies in the range: its file's, its own where the file holds rows of several, or that
 * of an inlined row; a delete likewise. A row id on both sides of one snapshot is an update. Compaction moves rows and
 * changes none, so what it wrote and ended counts for nothing. Source: DuckLake, "Data Change Feed".
 */
import { ChunkBatch } from '../../engine/duckdb/index.ts'
import type { Batch } from '../../engine/index.ts'
import { field, longType, type StructType, stringType, structType } from '../../schema/index.ts'
import { type Catalog, safeNumber } from '../catalog/catalog.ts'
import { corruptFile } from '../catalog/file-access.ts'
import { columnDataType } from '../snapshot/columns.ts'
import { type DataFile, loadFiles } from './data-files.ts'
import { collectDeletes, createDeletesTable } from './deletes.ts'
import { type GroupSql, groupFiles, groupSelect, type SelectOptions } from './file-select.ts'
import { loadInlined } from './inlined.ts'
import { outputSql } from './output-sql.ts'
import { containerVectors, isContainer } from './puffin.ts'
import type { ScanPlace } from './table-scan.ts'

export interface ChangeOptions {
  /** the first and the last snapshot, both included */
  readonly from: number
  readonly to: number
  readonly form?: 'values' | 'text'
  readonly limit?: number
  readonly signal?: AbortSignal | undefined
}

let made = 0

/** Changes in the order of snapshots and row ids; read once. Columns: `snapshot_id`, `rowid`, `change_type`, the table's. */
export class LakeChanges {
  private readonly place: ScanPlace
  private readonly options: ChangeOptions

  constructor(place: ScanPlace, options: ChangeOptions) {
    this.place = place
    this.options = options
  }

  async open(): Promise<{ readonly schema: StructType; batches(): AsyncIterable<Batch> }> {
    const asText = this.options.form === 'text'
    const own = this.place.table.columns.map((column) => field(column.name, columnDataType(column, asText)))
    const schema = structType([
      field('snapshot_id', longType),
      field('rowid', longType),
      field('change_type', stringType),
      ...own,
    ])
    return { schema, batches: () => this.batches(schema, asText) }
  }

  private async *batches(schema: StructType, asText: boolean): AsyncGenerator<Batch> {
    const { catalog, table } = this.place
    const events = `${catalog.scratch}.main.events${made++}`
    await createDeletesTable(catalog, `${events}_all`)
    try {
      const pieces = await this.pieces(events)
      if (pieces.length === 0) return
      const outputs = table.columns.map((column, i) => `${outputSql(`v${i}`, column, asText)} AS o${i}`)
      const both = (kind: string) => `count(*) FILTER (kind = '${kind}') OVER (PARTITION BY snap, row_id) > 0`
      const type = `CASE WHEN ${both('insert')} AND ${both('delete')} THEN CASE kind WHEN 'insert' THEN 'update_postimage' ELSE 'update_preimage' END ELSE kind END`
      const limit = this.options.limit === undefined ? '' : `LIMIT ${this.options.limit}`
      const sql = `SELECT snap, row_id, change, ${outputs.join(', ')} FROM (SELECT *, ${type} AS change FROM (${pieces.join('\nUNION ALL\n')}) p) c ORDER BY snap, row_id, change DESC ${limit}`
      const stream = catalog.session.stream(sql, { signal: this.options.signal, what: 'the changes' })
      for await (const chunk of stream) yield new ChunkBatch(chunk, schema)
    } finally {
      await catalog.query(`DROP TABLE IF EXISTS ${events}_all`)
      await catalog.query(`DROP VIEW IF EXISTS ${events}`)
    }
  }

  /** SELECTs of `v0`…, `row_id`, `snap`, `kind`. */
  private async pieces(events: string): Promise<string[]> {
    const { catalog, table } = this.place
    const { from, to } = this.options
    const compacted = await compactions(catalog, table.id)
    const isCompacted = (sql: string) => (compacted.length === 0 ? 'false' : `${sql} IN (${compacted.join(', ')})`)
    const inRange = (sql: string) => `${sql} BETWEEN ${from} AND ${to}`
    const files = await loadFiles(catalog, table, { where: `f.begin_snapshot <= ${to}`, deletesAt: -1 })
    await this.collectEvents(files, events, isCompacted)
    const groups = await groupFiles(this.place, await this.touched(files, events), () => '')
    const columns = table.columns
    const join = ({ fileId, position }: GroupSql) =>
      `LEFT JOIN ${events} e ON e.file_id = ${fileId} AND e.pos = ${position}`
    const inserts: SelectOptions = {
      columns,
      join,
      extra: ({ rowId, snapshot }) => [`${rowId} AS row_id`, `${snapshot} AS snap`, `'insert' AS kind`],
      // a row that came and went in one snapshot was never there
      where: ({ snapshot, hasSnapshots }) =>
        `${inRange(snapshot)} AND e.snapshot IS DISTINCT FROM ${snapshot} ${hasSnapshots ? '' : `AND NOT ${isCompacted('m.begin')}`}`,
    }
    const gone = 'coalesce(e.snapshot, m.ended)'
    const deletes: SelectOptions = {
      columns,
      join,
      extra: ({ rowId }) => [`${rowId} AS row_id`, `${gone} AS snap`, `'delete' AS kind`],
      where: ({ snapshot }) =>
        `${inRange(gone)} AND (e.snapshot IS NOT NULL OR NOT ${isCompacted('m.ended')}) AND ${gone} <> ${snapshot}`,
    }
    const parts = groups.flatMap((group) => [inserts, deletes].map((part) => groupSelect(this.place, group, part)))
    return [...parts, ...(await this.inlinedPieces(inRange))]
  }

  private async inlinedPieces(inRange: (sql: string) => string): Promise<string[]> {
    const { catalog, table } = this.place
    const inlined = await loadInlined(catalog, table, this.options.to)
    return inlined.flatMap((one) => {
      const outputs = table.columns.map((column, i) => `${one.columnSql(column)} AS v${i}`)
      const select = (snap: string, kind: string) =>
        `SELECT ${[...outputs, `${one.rowId} AS row_id`, `${snap} AS snap`, `'${kind}' AS kind`].join(', ')}
         FROM ${one.name} WHERE ${inRange(snap)} AND ${one.begin} IS DISTINCT FROM ${one.end}`
      return [select(one.begin, 'insert'), select(one.end, 'delete')]
    })
  }

  /** Fills the view `events`: when each deleted row of a file went, the first time a delete file names it. */
  private async collectEvents(
    files: readonly DataFile[],
    events: string,
    isCompacted: (sql: string) => string,
  ): Promise<void> {
    const { catalog, access, table } = this.place
    const { to } = this.options
    const deletes = await loadDeleteFiles(this.place, files)
    for (const { file, at, deletesAt } of deletes) {
      await collectDeletes(
        { catalog, access, table, snapshot: at },
        [{ ...file, deletes: [deletesAt] }],
        `${events}_all`,
      )
    }
    // deletes that lie in the catalog are there for files without a delete file too
    await collectDeletes(
      { catalog, access, table, snapshot: to },
      files.map((file) => ({ ...file, deletes: [] })),
      `${events}_all`,
    )
    await catalog.query(
      `CREATE VIEW ${events} AS SELECT file_id, pos, min(snapshot) AS snapshot FROM ${events}_all
       WHERE NOT ${isCompacted('snapshot')} GROUP BY ALL`,
    )
  }

  /** Files with a row that came or went in the range. */
  private async touched(files: readonly DataFile[], events: string): Promise<DataFile[]> {
    const { from, to } = this.options
    const rows = await this.place.catalog.query(
      `SELECT DISTINCT file_id FROM ${events} WHERE snapshot BETWEEN ${from} AND ${to}`,
    )
    const withDeletes = new Set(rows.map(([id]) => safeNumber(id)))
    const isIn = (snapshot: number | undefined) => snapshot !== undefined && snapshot >= from && snapshot <= to
    return files.filter(({ id, begin, end, partialMax }) => {
      return isIn(begin) || isIn(end) || withDeletes.has(id) || (partialMax !== undefined && partialMax >= from)
    })
  }
}

/** Snapshots that moved the rows of a table and changed none. */
async function compactions(catalog: Catalog, tableId: number): Promise<number[]> {
  const rows = await catalog.query(
    `SELECT snapshot_id FROM ${catalog.view('snapshot_changes')}
     WHERE regexp_matches(changes_made, '(^|,)(compacted_table|merge_adjacent|rewrite_delete|inline_flush):${tableId}(,|$)')
       AND NOT regexp_matches(changes_made, '(^|,)(inserted_into_table|deleted_from_table|inlined_insert|inlined_delete):${tableId}(,|$)')`,
  )
  return rows.map(([id]) => safeNumber(id))
}

/** Delete files one by one; a container of vectors once for each snapshot it knows. */
async function loadDeleteFiles({ catalog, access, table, snapshot }: ScanPlace, files: readonly DataFile[]) {
  const rows = await catalog.query(
    `SELECT DISTINCT begin_snapshot FROM ${catalog.view('delete_file')}
     WHERE table_id = ${table.id} AND begin_snapshot <= ${snapshot} ORDER BY 1`,
  )
  const known = new Set(files.map(({ id }) => id))
  const found = new Map<number, { file: DataFile; at: number; deletesAt: DataFile['deletes'][number] }[]>()
  for (const [begin] of rows) {
    const at = safeNumber(begin)
    for (const file of await loadFiles(catalog, table, { where: 'true', deletesAt: at })) {
      if (!known.has(file.id)) continue
      for (const deletesAt of file.deletes) {
        if (found.has(deletesAt.id)) continue
        const bytes = deletesAt.format === 'puffin' ? await access.bytes(deletesAt.place, table.name) : undefined
        const times =
          bytes !== undefined && isContainer(bytes) ? vectorTimes(bytes, deletesAt.place.path, table.name) : undefined
        const entries = times?.map((time) => ({ file, at: time, deletesAt: { ...deletesAt, begin: time } }))
        found.set(deletesAt.id, entries ?? [{ file, at: snapshot, deletesAt }])
      }
    }
  }
  return [...found.values()].flat()
}

function vectorTimes(bytes: Uint8Array, file: string, table: string): number[] {
  try {
    return containerVectors(bytes).map((vector) => vector.snapshot)
  } catch (cause) {
    throw corruptFile(file, table, cause)
  }
}
