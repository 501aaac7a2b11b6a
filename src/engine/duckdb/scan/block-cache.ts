/**
 * Blocks of data files behind a network, kept on disk between queries and processes.
 *
 * A data file never changes under its name, so a block is found by where the file lies, its size and time, and its own
 * place. Each block carries a digest: one that a crash left broken is none. Nothing that fails here fails a read.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface CacheOptions {
  /** made when it is not there; readable by its owner alone. Several processes may share it */
  readonly directory: string
  /** what the blocks may take, bytes; beyond it those unused longest go. 1 GiB when absent */
  readonly maxBytes?: number
}

/** What a block is a part of. */
export interface CachedFile {
  readonly location: string
  readonly key: string
  /** bytes */
  readonly size: number
  readonly modifiedMs: number
}

export const BLOCK_BYTES = 256 * 1024
const DIGEST_BYTES = 32
const SUFFIX = '.block'
/** Eviction goes down to this share, so that not every write evicts. */
const LOW_SHARE = 0.9

interface Entry {
  readonly bytes: number
  readonly usedMs: number
}

export class BlockCache {
  private readonly directory: string
  private readonly maxBytes: number
  private entries: Promise<Map<string, Entry>> | undefined

  constructor({ directory, maxBytes = 1024 * 1024 * 1024 }: CacheOptions) {
    this.directory = directory
    this.maxBytes = maxBytes
  }

  async get(file: CachedFile, block: number): Promise<Uint8Array | undefined> {
    const name = nameOf(file, block)
    const path = join(this.directory, name)
    try {
      const stored = await readFile(path)
      const bytes = new Uint8Array(stored.subarray(DIGEST_BYTES))
      if (!digestOf(bytes).equals(stored.subarray(0, DIGEST_BYTES))) return undefined
      const usedMs = Date.now()
      await utimes(path, usedMs / 1000, usedMs / 1000)
      const entries = await this.load()
      entries.set(name, { bytes: stored.length, usedMs })
      return bytes
    } catch {
      return undefined
    }
  }

  async put(file: CachedFile, block: number, bytes: Uint8Array): Promise<void> {
    const name = nameOf(file, block)
    const temporary = join(this.directory, `${randomUUID()}.tmp`)
    try {
      const entries = await this.load()
      await writeFile(temporary, Buffer.concat([digestOf(bytes), bytes]), { mode: 0o600 })
      await rename(temporary, join(this.directory, name))
      entries.set(name, { bytes: DIGEST_BYTES + bytes.length, usedMs: Date.now() })
      await this.evict(entries)
    } catch {
      await rm(temporary, { force: true }).catch(() => undefined)
    }
  }

  /** What is there already, from this process or others. */
  private load(): Promise<Map<string, Entry>> {
    this.entries ??= this.scan()
    return this.entries
  }

  private async scan(): Promise<Map<string, Entry>> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 })
    const entries = new Map<string, Entry>()
    for (const name of await readdir(this.directory)) {
      if (!name.endsWith(SUFFIX)) continue
      const found = await stat(join(this.directory, name)).catch(() => undefined)
      if (found !== undefined) entries.set(name, { bytes: found.size, usedMs: found.mtimeMs })
    }
    return entries
  }

  private async evict(entries: Map<string, Entry>): Promise<void> {
    let total = 0
    for (const { bytes } of entries.values()) total += bytes
    if (total <= this.maxBytes) return
    const oldestFirst = [...entries].sort(([, a], [, b]) => a.usedMs - b.usedMs)
    for (const [name, { bytes }] of oldestFirst) {
      if (total <= this.maxBytes * LOW_SHARE) return
      entries.delete(name)
      total -= bytes
      await rm(join(this.directory, name), { force: true })
    }
  }
}

function nameOf({ location, key, size, modifiedMs }: CachedFile, block: number): string {
  const identity = JSON.stringify([location, key, size, modifiedMs, BLOCK_BYTES, block])
  return `${createHash('sha256').update(identity).digest('hex')}${SUFFIX}`
}

function digestOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
