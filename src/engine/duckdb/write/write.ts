/** Rows into files: see `Engine.write`. */
import { throwIfAborted } from '../../../support/index.ts'
import type { EngineOptions, RowSource, WritePlan, WriteResult } from '../../index.ts'
import { expressionError } from '../expressions/index.ts'
import type { DuckDatabase } from '../instance.ts'
import { writeText } from '../text/text-source.ts'
import { FileWriter } from './file-writer.ts'
import type { SourceCounts, WriteJob } from './job.ts'
import { writeQuery } from './query-source.ts'
import { writeRows } from './row-source.ts'
import { writeScan } from './scan-source.ts'

const WHAT = 'the write'

export async function write(
  database: DuckDatabase,
  source: RowSource,
  plan: WritePlan,
  { signal, onProgress }: EngineOptions = {},
): Promise<WriteResult> {
  throwIfAborted(signal, WHAT)
  const session = await database.acquire()
  const options = { signal, what: WHAT }
  let writer: FileWriter | undefined
  try {
    writer = new FileWriter(database, session, plan, options)
    const job = { database, session, writer, plan, options, report: () => report(writer!, onProgress) }
    const counts = await writeSource(source, job)
    return { files: writer.files, numRows: writer.numRows, ...counts }
  } catch (error) {
    await writer?.abort()
    throw expressionError(error)
  } finally {
    session.release()
  }
}

function writeSource(source: RowSource, job: WriteJob): Promise<SourceCounts> {
  if (source.kind === 'rows') return writeRows(source, job)
  if (source.kind === 'scan') return writeScan(source, job)
  if (source.kind === 'query') return writeQuery(source, job)
  return writeText(source, job)
}

function report(writer: FileWriter, onProgress: EngineOptions['onProgress']): void {
  onProgress?.({
    rows: writer.numRows,
    bytes: writer.files.reduce((sum, file) => sum + file.size, 0),
    files: writer.files.length,
  })
}
