/** A file that appears whole: text goes to a file beside it, which takes its name when the work is done. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, lstatSync, type WriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { causeText, deltaError, isDeltaError } from '../../errors/index.ts'
import type { Terminal } from '../terminal.ts'
import { Output } from './output.ts'

/**
 * Runs work on an output into a file.
 *
 * The file is replaced only when the work succeeds; what it wrote until it failed is removed.
 *
 * @throws DeltaError `LAKE_FILE_NOT_WRITABLE`
 */
export async function writeWholeFile(
  file: string,
  terminal: Terminal,
  work: (output: Output) => Promise<void>,
): Promise<void> {
  if (isSpecial(file)) return await writeStream(file, createWriteStream(file), terminal, work)
  const partial = `${file}.${randomUUID()}.partial`
  try {
    await writeStream(file, createWriteStream(partial, { flags: 'wx' }), terminal, work)
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw isDeltaError(error) ? error : notWritable(file, error)
  }
}

/** A device, a pipe or what a link leads to takes what is written to it; the name itself is never replaced. */
export function isSpecial(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats !== undefined && !stats.isFile() && !stats.isDirectory()
}

async function writeStream(
  file: string,
  stream: WriteStream,
  terminal: Terminal,
  work: (output: Output) => Promise<void>,
): Promise<void> {
  const failed = new Promise<never>((_, reject) => {
    stream.on('error', (cause) => reject(notWritable(file, cause)))
  })
  failed.catch(() => undefined)
  try {
    const output = new Output({ ...terminal, stdout: stream }, 'never', () => {})
    await Promise.race([failed, work(output).then(() => output.flush())])
    stream.end()
    await Promise.race([failed, once(stream, 'close')])
  } finally {
    stream.destroy()
  }
}

export function notWritable(file: string, cause: unknown) {
  return deltaError('LAKE_FILE_NOT_WRITABLE', { file, cause: causeText(cause) }, { cause })
}
