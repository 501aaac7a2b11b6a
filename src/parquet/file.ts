/** The port through which the bytes of Parquet files are read, range by range. */
import { causeText, deltaError, isDeltaError } from '../errors/index.ts'

export interface ParquetFile {
  /** for messages */
  readonly name: string
  /** bytes */
  readonly size: number
  /** bytes `start` (included) to `end` (left out); both lie inside the file */
  read(start: number, end: number): Promise<Uint8Array>
}

/** A file whose bytes are in memory. */
export function memoryFile(name: string, bytes: Uint8Array): ParquetFile {
  return { name, size: bytes.length, read: async (start, end) => bytes.subarray(start, end) }
}

/** Bytes of a file, or an error when it is shorter than its footer or the log says. */
export async function readExactly(file: ParquetFile, start: number, end: number): Promise<Uint8Array> {
  if (start < 0 || end < start || end > file.size) {
    throw new RangeError(`bytes ${start} to ${end} lie outside its ${file.size} bytes`)
  }
  const bytes = await file.read(start, end)
  if (bytes.length !== end - start) throw new RangeError(`bytes ${start} to ${end} are not all there`)
  return bytes
}

/**
 * Runs a piece of reading; whatever it throws becomes an error with a code that names the file.
 *
 * @throws DeltaError `FAILED_READ_FILE.NO_HINT`, or the coded error that `work` threw
 */
export async function reading<T>(file: ParquetFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw isDeltaError(cause) ? cause : unreadable(file, causeText(cause), cause)
  }
}

function unreadable(file: ParquetFile, reason: string, cause?: unknown): Error {
  const details = { file: file.name, cause: reason, readable: 'its other files are not affected' }
  return deltaError('FAILED_READ_FILE.NO_HINT', details, cause === undefined ? {} : { cause })
}

/** An error for what a file holds and this reader knows by name but does not read. */
export function unsupported(file: ParquetFile, feature: string): Error {
  return deltaError('LAKE_PARQUET_UNSUPPORTED', { file: file.name, feature })
}
