/** One file, or the files of a folder in the order of their names; a position is a byte of a file. */
import { access, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { causeText, deltaError } from '../../errors/index.ts'
import { compareText, delay } from '../../support/index.ts'
import type { SourceOfType } from '../config/config.ts'
import { type RecordFile, readRecords } from './read-records.ts'
import type { OpenOptions, Source, SourceBatch } from './source.ts'

/** The partition of a source that has one. */
export const ONLY_PARTITION = '0'

export function fileSource(config: SourceOfType<'file'>): Source {
  const file: RecordFile = { ...config, source: config.id, partition: ONLY_PARTITION }
  return {
    id: config.id,
    isReplayable: true,
    async *open({ positionOf, once, signal }: OpenOptions) {
      const tail = config.tail && !once
      while (tail && !signal.aborted && !(await isThere(config.path))) await delay(config.pollMs, signal)
      if (signal.aborted) return
      yield* readRecords(file, positionOf(ONLY_PARTITION), {
        atEnd: tail ? 'wait' : 'stop',
        pollMs: config.pollMs,
        signal,
      })
    },
  }
}

/**
 * Each file of the folder is a partition of its own, by its name.
 *
 * While the folder is followed, a last line without a newline is left until it has one; a file that grows is read on,
 * and one whose size, time and inode stayed is not opened again.
 */
export function folderSource(config: SourceOfType<'folder'>): Source {
  const isWanted = matcherOf(config.pattern)
  return {
    id: config.id,
    isReplayable: true,
    async *open({ positionOf, once, signal, onWarning }: OpenOptions): AsyncGenerator<SourceBatch> {
      const follow = config.follow && !once
      const atEnd = follow ? 'stop-whole' : 'stop'
      const reached = new Map<string, bigint>()
      const seen = new Map<string, string>()
      do {
        for (const name of await listFiles(config, isWanted)) {
          if (signal.aborted) return
          const file: RecordFile = { ...config, source: config.id, path: join(config.path, name), partition: name }
          // looked at before it is read, so that what is appended meanwhile makes it another
          const state = follow ? await stateOf(file.path) : undefined
          if (state !== undefined && seen.get(name) === state) continue
          const start = reached.get(name) ?? positionOf(name)
          reached.set(name, yield* readRecords(file, start, { atEnd, pollMs: config.pollMs, signal, onWarning }))
          if (state !== undefined) seen.set(name, state)
        }
        if (follow) await delay(config.pollMs, signal)
      } while (follow && !signal.aborted)
    },
  }
}

/** @returns undefined where it cannot be told: whoever opens the file says why */
async function stateOf(path: string): Promise<string | undefined> {
  return stat(path, { bigint: true }).then(
    ({ ino, size, mtimeNs }) => `${ino} ${size} ${mtimeNs}`,
    () => undefined,
  )
}

async function listFiles(config: SourceOfType<'folder'>, isWanted: (name: string) => boolean): Promise<string[]> {
  try {
    const entries = await readdir(config.path, { withFileTypes: true })
    return entries
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.') && isWanted(entry.name))
      .map((entry) => entry.name)
      .sort(compareText)
  } catch (cause) {
    throw deltaError('WORKER_SOURCE_FAILED', { source: config.id, cause: causeText(cause) }, { cause })
  }
}

/** Whether a name is of a pattern, in which `*` stands for any text. */
export function matcherOf(pattern: string): (name: string) => boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const expression = new RegExp(`^${parts.join('.*')}$`, 's')
  return (name) => expression.test(name)
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
