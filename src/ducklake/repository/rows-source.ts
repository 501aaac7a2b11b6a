/**
 * The rows of a query as a table of a repository: one Parquet file that replaces what the table held.
 *
 * The file is called after its content, so that the same rows published again are no change.
 */
import { readFile, rm } from 'node:fs/promises'
import type { DuckDBType } from '@duckdb/node-api'
import { type DuckDbOptions, type DuckSession, quoteIdent, quoteLiteral } from '../../engine/duckdb/index.ts'
import { causeText, deltaError, isDeltaError } from '../../errors/index.ts'
import { type Clock, systemClock } from '../../support/index.ts'
import { safeNumber } from '../catalog/catalog.ts'
import type { LakeColumn } from '../snapshot/columns.ts'
import { lakeTypeName } from '../snapshot/types.ts'
import { SnapshotWriter } from '../write/snapshot-writer.ts'
import { openBase } from './base-draft.ts'
import { isContainerFile } from './lake-source.ts'
import { DATA } from './layout.ts'
import { sha256 } from './repository.ts'
import type { BuiltCatalog, PublishSource, SourceFile } from './source.ts'

export interface RowsSourceOptions {
  /** a SELECT of DuckDB's */
  readonly sql: string
  /** `[schema, table]` in the lake */
  readonly name: readonly [schema: string, table: string]
  readonly engine?: DuckDbOptions
  readonly clock?: Clock
  readonly author?: string | undefined
  readonly message?: string | undefined
}

/** @throws DeltaError `LAKE_QUERY_FAILED`, `DUCKLAKE_SOURCE_UNSUPPORTED` for a type no lake holds */
export function rowsSource(options: RowsSourceOptions): PublishSource {
  return async (base): Promise<BuiltCatalog> => {
    const clock = options.clock ?? systemClock
    const opened = await openBase(base, { ...(options.engine && { engine: options.engine }), clock })
    try {
      const made = await writeRows(opened.draft.session, options)
      const file = await addRows(opened, made, { ...options, clock })
      const files = file === undefined ? opened.files : [...opened.files, file]
      return {
        draft: opened.draft,
        files,
        isContainer: (id) => isContainerFile(opened.draft, files, id),
        tables: [options.name.join('.')],
        close: opened.close,
      }
    } catch (error) {
      await opened.close()
      throw isDeltaError(error)
        ? error
        : deltaError('LAKE_QUERY_FAILED', { reason: causeText(error) }, { cause: error })
    }
  }
}

interface WrittenRows {
  readonly columns: readonly LakeColumn[]
  readonly bytes: Uint8Array
  readonly count: number
  readonly name: string
}

async function writeRows(session: DuckSession, { sql }: RowsSourceOptions): Promise<WrittenRows> {
  const described = await session.connection.run(`SELECT * FROM (\n${sql}\n) LIMIT 0`)
  const types = described.columnTypes()
  const ids = { next: 1 }
  const columns = described.columnNames().map((name, i) => columnOf(name, types[i]!, ids))
  const path = `${process.env.TMPDIR ?? '/tmp'}/bayou-rows-${crypto.randomUUID()}.parquet`
  try {
    const fields = columns.map((column) => `${quoteIdent(column.name)}: ${fieldIds(column)}`).join(', ')
    const [row] = await session.query(
      `COPY (\n${sql}\n) TO ${quoteLiteral(path)} (FORMAT parquet, COMPRESSION zstd, FIELD_IDS {${fields}})`,
    )
    const bytes = new Uint8Array(await readFile(path))
    return {
      columns,
      bytes,
      count: safeNumber(row![0]),
      name: `ducklake-${(await sha256(bytes)).slice(0, 32)}.parquet`,
    }
  } finally {
    await rm(path, { force: true })
  }
}

/** The parts of DuckDB's type classes that are read here. */
interface TypeParts {
  readonly valueType?: DuckDBType
  readonly keyType?: DuckDBType
  readonly entryNames?: readonly string[]
  readonly entryTypes?: readonly DuckDBType[]
}

function columnOf(name: string, type: DuckDBType, ids: { next: number }): LakeColumn {
  const base = {
    id: ids.next++,
    name,
    nullable: true,
    initialDefault: undefined,
    defaultValue: undefined,
    defaultType: undefined,
    comment: undefined,
  }
  const parts = type as TypeParts
  if (parts.keyType !== undefined && parts.valueType !== undefined) {
    return {
      ...base,
      type: 'map',
      children: [columnOf('key', parts.keyType, ids), columnOf('value', parts.valueType, ids)],
    }
  }
  if (parts.valueType !== undefined) {
    return { ...base, type: 'list', children: [columnOf('element', parts.valueType, ids)] }
  }
  if (parts.entryNames !== undefined) {
    const children = parts.entryNames.map((entry, i) => columnOf(entry, parts.entryTypes![i]!, ids))
    return { ...base, type: 'struct', children }
  }
  const leaf = lakeTypeName(type.toString())
  if (leaf !== undefined) return { ...base, type: leaf, children: [] }
  const reason = `its column ${name} has the type ${type.toString()}, which no lake holds`
  throw deltaError('DUCKLAKE_SOURCE_UNSUPPORTED', { source: 'the query', reason, advice: 'cast it in the query' })
}

function fieldIds(column: LakeColumn): string {
  if (column.children.length === 0) return String(column.id)
  const parts = column.children.map((child) => `${quoteIdent(child.name)}: ${fieldIds(child)}`)
  return `{__duckdb_field_id: ${column.id}, ${parts.join(', ')}}`
}

type Base = Awaited<ReturnType<typeof openBase>>

/** @returns undefined where the table holds these rows already */
async function addRows(
  { draft, folderOf }: Base,
  rows: WrittenRows,
  options: RowsSourceOptions & { readonly clock: Clock },
): Promise<SourceFile | undefined> {
  const [schema, table] = options.name.map(quoteLiteral)
  const [known] = await draft.query(
    `SELECT t.table_id FROM ${draft.view('table')} t JOIN ${draft.view('schema')} s USING (schema_id)
     WHERE t.end_snapshot IS NULL AND s.end_snapshot IS NULL AND s.schema_name = ${schema} AND t.table_name = ${table}`,
  )
  const live =
    known === undefined
      ? []
      : await draft.query(
          `SELECT path FROM ${draft.view('data_file')} WHERE table_id = ${known[0]} AND end_snapshot IS NULL`,
        )
  if (live.length === 1 && live[0]![0] === rows.name) return undefined
  const writer = await SnapshotWriter.begin(draft)
  if (known !== undefined) await writer.dropTable(safeNumber(known[0]))
  const id = await writer.createTable(await writer.schema(options.name[0]), options.name, rows.columns)
  const { name: path, count: recordCount, bytes } = rows
  await writer.addDataFile(id, { path, recordCount, size: bytes.length, rowIdStart: 0 })
  writer.change('inserted_into_table', { id })
  await writer.updateTableStats(id, recordCount)
  const timeMicros = BigInt(Math.floor(options.clock.now())) * 1000n
  await writer.end({ timeMicros, author: options.author, message: options.message })
  return { target: `${DATA}${await folderOf(id)}${path}`, bytes: bytes.length, content: bytes }
}
