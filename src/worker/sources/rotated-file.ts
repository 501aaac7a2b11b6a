/**
 * A file that is rotated while it is tailed: renamed and begun anew, or copied and cut short.
 *
 * Each file that lay at the path is a partition of its own, named by what it begins with, so that it is known again
 * under another name and after a restart. What was appended before it was rotated is read to its end from where it lies
 * now. Where none of the rotated files is known, at the first start, only the file at the path is read.
 */
import { causeText, deltaError, isDeltaError } from '../../errors/index.ts'
import { delay } from '../../support/index.ts'
import type { SourceOfType } from '../config/config.ts'
import {
  type Generation,
  isBeginningOf,
  isUnchanged,
  markName,
  openGeneration,
  readMark,
  rotatedFiles,
  sizeOf,
  tailOf,
  writtenAt,
} from './generation.ts'
import { type RecordFile, readOpened } from './read-records.ts'
import type { OpenOptions, Source, SourceBatch } from './source.ts'

type FileConfig = SourceOfType<'file'>

export function rotatedFileSource(config: FileConfig): Source {
  return {
    id: config.id,
    isReplayable: true,
    async *open(options: OpenOptions) {
      const files = new RotatedFile(config, options)
      try {
        yield* files.batches()
      } catch (cause) {
        if (isDeltaError(cause)) throw cause
        throw deltaError('WORKER_SOURCE_FAILED', { source: config.id, cause: causeText(cause) }, { cause })
      } finally {
        await files.close()
      }
    },
  }
}

class RotatedFile {
  private readonly config: FileConfig
  private readonly options: OpenOptions
  private readonly file: RecordFile
  /** the oldest first; the last is the one at the path, once there is one */
  private generations: Generation[] = []
  private readonly reached = new Map<string, bigint>()
  private readonly taken = new Set<string>()
  /** rotated files that were written later are looked at: nanoseconds since 1970 */
  private since = 0n
  /** files that were looked at and are not open any more, by inode: what they begin with */
  private readonly seen = new Map<bigint, string>()

  constructor(config: FileConfig, options: OpenOptions) {
    this.config = config
    this.options = options
    this.file = { ...config, source: config.id, partition: '' }
  }

  async close(): Promise<void> {
    for (const { handle } of this.generations.splice(0)) await handle.close()
  }

  async *batches(): AsyncGenerator<SourceBatch> {
    const { once, signal } = this.options
    await this.begin()
    while (!signal.aborted) {
      yield* this.readAll()
      if (signal.aborted) return
      const isChanged = await this.look()
      if (once && !isChanged) return
      if (!isChanged) await delay(this.config.pollMs, signal)
    }
  }

  /** The file at the path and those before it that hold what is not in the tables. */
  private async begin(): Promise<void> {
    for (;;) {
      const current = await openGeneration(this.config.path)
      if (current !== undefined) await this.name(current, 'any')
      const others = await this.others(current === undefined ? [] : [current])
      for (const other of others) await this.name(other, 'any')
      if (current === undefined || (await isUnchanged(current))) return this.beginWith(current, others)
      // it was cut short meanwhile, and its copy may be among the others
      for (const { handle } of [current, ...others]) await handle.close()
      this.taken.clear()
    }
  }

  /** @param others the newest first; all that are newer than one that is known are read */
  private async beginWith(current: Generation | undefined, others: readonly Generation[]): Promise<void> {
    const oldest = others.findLastIndex(({ position }) => position > 0n)
    for (const [index, other] of others.entries()) {
      await this.passed(other)
      if (index <= oldest) this.generations.unshift(other)
      else await this.drop(other)
    }
    if (current !== undefined) this.generations.push(current)
  }

  private async drop({ handle, inode, mark }: Generation): Promise<void> {
    this.seen.set(inode, mark === undefined ? '' : markName(mark))
    await handle.close()
  }

  private async passed(generation: Generation): Promise<void> {
    const at = await writtenAt(generation)
    if (at > this.since) this.since = at
  }

  /** Rotated files that are none of the given ones nor a copy of them, the newest first. */
  private async others(known: readonly Generation[], isWanted = async (_: Generation) => true): Promise<Generation[]> {
    const found: Generation[] = []
    for (const other of await rotatedFiles(this.config.path)) {
      const isOther =
        known.every(({ inode }) => inode !== other.inode) && !(await isCopy(other, known)) && (await isWanted(other))
      if (isOther) found.push(other)
      else await other.handle.close()
    }
    return found
  }

  /**
   * Gives a generation its partition, once its beginning is whole. Files that begin alike are numbered in their order.
   *
   * @param kind `new` where it is known that nothing of it was ever read
   */
  private async name(generation: Generation, kind: 'any' | 'new'): Promise<void> {
    const mark = await readMark(generation.handle, this.file)
    if (mark === undefined) return
    const base = markName(mark)
    const nameOf = (number: number) => (number === 1 ? base : `${base}.${number}`)
    let last = 0
    while (this.at(nameOf(last + 1)) > 0n || this.taken.has(nameOf(last + 1))) last++
    let number = last + 1
    if (kind === 'any') {
      const size = await sizeOf(generation.handle)
      for (let old = last; old > 0; old--) {
        if (this.taken.has(nameOf(old))) continue
        if (this.at(nameOf(old)) <= size) number = old
        break
      }
    }
    generation.mark = mark
    generation.partition = nameOf(number)
    generation.position = this.at(generation.partition)
    this.taken.add(generation.partition)
  }

  private at(partition: string): bigint {
    return this.reached.get(partition) ?? this.options.positionOf(partition)
  }

  private async *readAll(): AsyncGenerator<SourceBatch> {
    const { once } = this.options
    const count = this.generations.length
    for (const [index, generation] of [...this.generations].entries()) {
      // whoever writes may go on for a while in the file that was renamed last
      const isEnded = index < count - (once ? 1 : 2)
      yield* this.read(generation, isEnded)
      if (this.options.signal.aborted) return
      if (!isEnded) continue
      this.generations = this.generations.filter((kept) => kept !== generation)
      await this.drop(generation)
    }
  }

  private async *read(generation: Generation, isEnded: boolean): AsyncGenerator<SourceBatch> {
    const { partition, path, handle } = generation
    if (partition === undefined) return
    const { signal } = this.options
    const atEnd = isEnded ? 'stop' : 'stop-whole'
    const isSame = () => isUnchanged(generation)
    const file = { ...this.file, partition, path }
    const until = { atEnd, pollMs: this.config.pollMs, signal, isSame } as const
    for await (const batch of readOpened(handle, file, generation.position, until)) {
      generation.position = batch.end
      generation.tail = tailOf(batch.bytes)
      this.reached.set(partition, batch.end)
      yield batch
    }
  }

  /** @returns whether another file lies at the path by now, or the same one was begun anew */
  private async look(): Promise<boolean> {
    const current = this.generations.at(-1)
    const found = await openGeneration(this.config.path)
    if (found === undefined) return false
    const isAtPath = found.inode === current?.inode
    if (isAtPath && current?.mark !== undefined && (await isUnchanged(current))) {
      await found.handle.close()
      return false
    }
    if (isAtPath) await this.dropCurrent()
    // before the others are looked at, so that it is noticed when it is copied and cut short meanwhile
    await this.name(found, 'new')
    if (current !== undefined && !isAtPath) await this.passed(current)
    if (isAtPath && current?.mark !== undefined) await this.addCopyOf(current, found)
    const unseen = await this.addUnseen(found)
    this.generations.push(found)
    return found.mark !== undefined || unseen > 0
  }

  private async dropCurrent(): Promise<void> {
    await this.generations.pop()?.handle.close()
  }

  /** The file was cut short: what was appended before that is in its copy. */
  private async addCopyOf({ mark, partition, position, tail, path }: Generation, found: Generation): Promise<void> {
    const isCopyOfCut = (other: Generation) => isUnchanged({ ...other, mark, partition, position, tail })
    const [copy, ...more] = await this.others([...this.generations, found], isCopyOfCut)
    for (const { handle } of more) await handle.close()
    if (copy === undefined) {
      this.options.onWarning?.(
        `${path} was cut short, and no copy of it was found beside it: what was appended behind byte ${position} is lost`,
      )
      return
    }
    await this.passed(copy)
    this.generations.push({ ...copy, mark, partition, position, tail })
  }

  /** Files that came and were rotated since we looked last. */
  private async addUnseen(found: Generation): Promise<number> {
    const { since } = this
    const unseen: Generation[] = []
    const isUnseen = async (other: Generation) => (await writtenAt(other)) >= since && !(await this.isSeen(other))
    for (const other of await this.others([...this.generations, found], isUnseen)) {
      await this.passed(other)
      if (await isMovedTo(other, found)) moveTo(other, found)
      else await this.name(other, 'new')
      unseen.unshift(other)
    }
    this.generations.push(...unseen)
    return unseen.length
  }

  private async isSeen({ inode, handle }: Generation): Promise<boolean> {
    const mark = await readMark(handle, this.file)
    return this.seen.get(inode) === (mark === undefined ? '' : markName(mark))
  }
}

/** Whether a file that was just named was copied and cut short since: the copy is what the name was given for. */
async function isMovedTo(copy: Generation, named: Generation): Promise<boolean> {
  if (named.mark === undefined || (await isUnchanged(named))) return false
  return isUnchanged({ ...copy, mark: named.mark })
}

function moveTo(copy: Generation, named: Generation): void {
  copy.mark = named.mark
  copy.partition = named.partition
  named.mark = undefined
  named.partition = undefined
}

async function isCopy(other: Generation, known: readonly Generation[]): Promise<boolean> {
  for (const { handle } of known) {
    if ((await sizeOf(other.handle)) === 0n) return true
    if (await isBeginningOf(other.handle, handle)) return true
  }
  return false
}
