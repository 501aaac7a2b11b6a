/** Rows of a table as one Parquet file, written by the engine and moved into place when it is whole. */

import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { WrittenFile } from '../engine/index.ts'
import { rowsOf } from '../engine/index.ts'
import { deltaError } from '../errors/index.ts'
import { structType } from '../schema/index.ts'
import { localStore } from '../storage/fs/index.ts'
import type { ScanOptions } from '../table/index.ts'
import type { CliContext } from './cli-command.ts'
import { isSpecial, notWritable } from './output/whole-file.ts'

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
    await place(join(folder, onlyFile(written.files, file).key), target, file)
    return written.numRows
  } finally {
    progress.clear()
    await rm(folder, { recursive: true, force: true })
  }
}

async function place(from: string, target: string, file: string): Promise<void> {
  try {
    if (isSpecial(target)) await pipeline(createReadStream(from), createWriteStream(target))
    else await rename(from, target)
  } catch (cause) {
    throw notWritable(file, cause)
  }
}

/** Beside the target, so that the finished file can be renamed to it. */
async function makeFolder(target: string, file: string): Promise<string> {
  try {
    return await mkdtemp(isSpecial(target) ? join(tmpdir(), 'bayou-') : join(dirname(target), `.${basename(target)}-`))
  } catch (cause) {
    throw notWritable(file, cause)
  }
}

function onlyFile(files: readonly WrittenFile[], file: string): WrittenFile {
  const [only, ...more] = files
  if (only !== undefined && more.length === 0) return only
  const cause = files.length === 0 ? 'there are no rows to write' : `the rows make ${files.length} files`
  throw deltaError('LAKE_FILE_NOT_WRITABLE', { file, cause })
}
