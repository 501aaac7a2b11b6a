/**
 * A logical catalog as a DuckDB file: one format, one storage version, nothing beside it.
 *
 * The official extension opens such a file read-only. It is written in one transaction, closed, and read back.
 */
import { existsSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { quoteIdent, quoteLiteral } from '../../engine/duckdb/index.ts'
import { assert, deltaError } from '../../errors/index.ts'
import { INLINE_PREFIX, tablesOf, type WriteFormat } from '../catalog/formats.ts'
import { HEADER_BYTES, readStorageHeader } from '../catalog/storage-header.ts'
import { createTableSql, type Draft } from './draft.ts'

export interface FreezeOptions {
  /** of a file that is not there yet */
  readonly path: string
  readonly format: WriteFormat
  /** `v1.2.0` */
  readonly storage: string
  /** where the data files lie, relative to the one who attaches; ends in a slash */
  readonly dataPath: string
}

export interface FrozenFile {
  readonly bytes: number
  /** the oldest storage the file can be opened with, by its own header */
  readonly storage: string
}

let made = 0

/**
 * @throws DeltaError `DUCKLAKE_CATALOG_CORRUPT` where the file does not read back as it was written
 */
export async function freeze(draft: Draft, options: FreezeOptions): Promise<FrozenFile> {
  const { session } = draft
  const name = `frozen${made++}`
  await rm(options.path, { force: true })
  await session.run(
    `ATTACH ${quoteLiteral(options.path)} AS ${name} (STORAGE_VERSION ${quoteLiteral(options.storage)}, BLOCK_SIZE 16384)`,
  )
  try {
    await session.run('BEGIN')
    try {
      await fill(draft, name, options)
      await session.run('COMMIT')
    } catch (error) {
      await session.run('ROLLBACK')
      throw error
    }
    await session.run(`CHECKPOINT ${name}`)
  } finally {
    await session.run(`DETACH ${name}`)
  }
  return await readBack(options)
}

async function fill(draft: Draft, name: string, { format, dataPath }: FreezeOptions): Promise<void> {
  for (const table of tablesOf(format)) {
    const target = `${name}.main.${quoteIdent(table.name)}`
    await draft.run(createTableSql(target, table))
    if (table.name === 'ducklake_files_scheduled_for_deletion') continue
    const columns = table.columns.map((column) => quoteIdent(column.name)).join(', ')
    await draft.run(`INSERT INTO ${target} SELECT ${columns} FROM ${draft.raw(table.name)}`)
  }
  const metadata = `${name}.main.ducklake_metadata`
  await draft.run(`DELETE FROM ${metadata} WHERE scope IS NULL AND key IN ('version', 'data_path')`)
  await draft.run(
    `INSERT INTO ${metadata} VALUES ('version', ${quoteLiteral(format)}, NULL, NULL), ('data_path', ${quoteLiteral(dataPath)}, NULL, NULL)`,
  )
  for (const table of await draft.inlinedTables()) {
    const columns = (await draft.query(`DESCRIBE ${draft.raw(table)}`)).map(([column]) => String(column))
    const outputs = columns.map((column) => {
      const plain = column.startsWith(INLINE_PREFIX) ? column.slice(INLINE_PREFIX.length) : column
      return `${quoteIdent(column)} AS ${quoteIdent(format === '1.0' ? plain : column)}`
    })
    await draft.run(
      `CREATE TABLE ${name}.main.${quoteIdent(table)} AS SELECT ${outputs.join(', ')} FROM ${draft.raw(table)}`,
    )
  }
}

async function readBack({ path, storage }: FreezeOptions): Promise<FrozenFile> {
  assert(!existsSync(`${path}.wal`), 'a frozen catalog has nothing left in its log')
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(HEADER_BYTES), 0, HEADER_BYTES, 0)
    const header = readStorageHeader(buffer.subarray(0, bytesRead))
    if (header === undefined || header.needs !== storage) {
      const reason = `it was written for DuckDB ${storage} and needs ${header?.needs ?? 'one that is not known'}`
      throw deltaError('DUCKLAKE_CATALOG_CORRUPT', { catalog: path, reason })
    }
    return { bytes: (await file.stat()).size, storage: header.needs }
  } finally {
    await file.close()
  }
}
