/**
 * The file that keeps the records a destination refused, each with its reason and its place, one JSON object a line.
 * A record that is not UTF-8 is there as base64 too, so that nothing of it is lost.
 *
 * Lines are on disk before the batch they come from is acknowledged. A record that is read again after a crash, or
 * written again after a failure, is not noted again.
 */
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { causeText, deltaError } from '../../errors/index.ts'

export interface DeadLetter {
  readonly source: string
  readonly partition: string
  readonly position: bigint
  readonly route: string
  readonly reason: string
  readonly record: string
  /** the bytes of a record that is not UTF-8, of which `record` shows what is text */
  readonly recordBase64?: string
}

export interface DeadLettersOptions {
  readonly path: string
  readonly destination: string
  /** for a source whose positions last beyond a run: where it goes on; undefined for any other */
  readonly positionOf: (source: string, partition: string) => bigint | undefined
}

export interface DeadLetters {
  readonly path: string
  /**
   * Appends and syncs.
   *
   * @throws DeltaError `WORKER_DEAD_LETTERS_FAILED`
   */
  add(letters: readonly DeadLetter[]): Promise<void>
  /** Forgets which of these were noted: they will not come again. */
  settle(letters: readonly DeadLetter[]): void
  close(): Promise<void>
}

export function deadLetterFileOf(destination: {
  readonly id: string
  readonly deadLetterFile: string | undefined
}): string {
  return destination.deadLetterFile ?? `${destination.id}.dead-letters.ndjson`
}

/** Nothing is created before the first letter. */
export async function openDeadLetters(options: DeadLettersOptions): Promise<DeadLetters> {
  const { path } = options
  const noted = await translate(path, () => readNoted(options))
  let file: FileHandle | undefined
  return {
    path,
    async add(letters) {
      const fresh = letters.filter((letter) => !noted.has(keyOf(letter)))
      if (fresh.length === 0) return
      await translate(path, async () => {
        file ??= await openForAppend(path)
        await file.appendFile(fresh.map((letter) => lineOf(letter, options.destination)).join(''))
        await file.sync()
      })
      for (const letter of fresh) noted.add(keyOf(letter))
    },
    settle(letters) {
      for (const letter of letters) noted.delete(keyOf(letter))
    },
    async close() {
      await file?.close()
      file = undefined
    },
  }
}

function lineOf(letter: DeadLetter, destination: string): string {
  const { source, partition, position, route, reason, record, recordBase64 } = letter
  const place = { at: new Date().toISOString(), source, partition, position: String(position), route, destination }
  return `${JSON.stringify({ ...place, reason, record, recordBase64 })}\n`
}

function keyOf({ source, partition, position, route }: Omit<DeadLetter, 'reason' | 'record' | 'recordBase64'>): string {
  return JSON.stringify([source, partition, String(position), route])
}

/** The letters in the file whose records will be read again, because no commit holds their place yet. */
async function readNoted(options: DeadLettersOptions): Promise<Set<string>> {
  const noted = new Set<string>()
  const input = createReadStream(options.path)
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const letter = parseLetter(line)
      const next = letter === undefined ? undefined : options.positionOf(letter.source, letter.partition)
      if (letter !== undefined && next !== undefined && letter.position >= next) noted.add(keyOf(letter))
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  return noted
}

function parseLetter(line: string): Omit<DeadLetter, 'reason' | 'record' | 'recordBase64'> | undefined {
  try {
    const { source, partition, position, route } = JSON.parse(line) as Record<string, unknown>
    if (typeof source !== 'string' || typeof partition !== 'string' || typeof route !== 'string') return undefined
    return { source, partition, position: BigInt(String(position)), route }
  } catch {
    return undefined
  }
}

/** A line that a crash cut short is cut off; its record comes again. */
async function openForAppend(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true })
  const file = await open(path, 'a+')
  const { size } = await file.stat()
  const buffer = new Uint8Array(Math.min(size, 64 * 1024))
  await file.read(buffer, 0, buffer.length, size - buffer.length)
  const lastNewline = buffer.lastIndexOf(0x0a)
  if (size > 0 && lastNewline !== buffer.length - 1 && lastNewline >= 0) {
    await file.truncate(size - buffer.length + lastNewline + 1)
  }
  return file
}

async function translate<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw deltaError('WORKER_DEAD_LETTERS_FAILED', { path, cause: causeText(cause) }, { cause })
  }
}
