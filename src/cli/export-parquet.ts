/** Rows of a table as one Parquet file, written by the engine and moved into place when it is whole. */
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { WrittenFile } from '../engine/index.ts'
import { causeText, deltaError } from '../errors/index.ts'
import { structType } from '../schema/index.ts'
import { localStore } from '../storage/fs/index.ts'
import { rowsOf, type ScanOptions } from '../table/index.ts'
import type { CliContext } from './cli-command.ts'

export interface ExportTask {
  readonly location: string
  readonly scanOptions: ScanOptions
  readonly file: string
  readonly context: CliContext
}

/**
 * @returns the number of rows
 * @throws DeltaError `LAKE_FILE_NOT_WRITABLE`, what a scan throws
 */
export async function exportParquet({ location, scanOptions, file, context }: ExportTask): Promise<number> {
  const target = resolve(context.terminal.cwd, file)
  const folder = await makeFolder(target, file)
  const progress = context.progress('writing')
  try {
    const scan = (await context.table(location)).scan(scanOptions)
    const { schema, batches } = await scan.open()
    const { engine } = await context.session()
    const pages = (async function* () {
      for await (const batch of batches()) yield [...rowsOf(batch)]
    })()
    const columns = structType(schema.fields.map((f) => ({ ...f, nullable: true, metadata: {} })))
    const written = await engine.write(
      { kind: 'rows', schema: columns, rows: pages },
      {
        store: localStore(folder),
        layout: { schema: columns, partitionColumns: [], columnMapping: 'none' },
        compression: 'zstd',
        targetFileSize: Number.MAX_SAFE_INTEGER,
        statistics: { kind: 'first', limit: 0, stringPrefixLength: 32 },
      },
      { signal: context.signal, onProgress: progress.update },
    )
    await rename(join(folder, onlyFile(written.files, file).key), target)
    return written.numRows
  } finally {
    progress.clear()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Beside the target, so that the finished file can be renamed to it. */
async function makeFolder(target: string, file: string): Promise<string> {
  try {
    return await mkdtemp(join(dirname(target), `.${basename(target)}-`))
  } catch (cause) {
    throw deltaError('LAKE_FILE_NOT_WRITABLE', { file, cause: causeText(cause) }, { cause })
  }
}

function onlyFile(files: readonly WrittenFile[], file: string): WrittenFile {
  const [only, ...more] = files
  if (only !== undefined && more.length === 0) return only
  const cause = files.length === 0 ? 'there are no rows to write' : `the rows make ${files.length} files`
  throw deltaError('LAKE_FILE_NOT_WRITABLE', { file, cause })
}
