/**
 * The one DuckDB instance of an engine and the connections to it.
 *
 * `@duckdb/node-api` is imported when the first connection is asked for, so that commands that read only the log never
 * load it. All connections share the instance, for memory_limit and threads belong to an instance. An instance that
 * answers only `database has been invalidated` after an internal error is left behind and the next connection gets a
 * new one; what lay in tables of the old one is gone.
 */

import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance, DuckDBResult, DuckDBValue } from '@duckdb/node-api'
import { assert, deltaError } from '../../errors/index.ts'
import { throwIfAborted } from '../../support/index.ts'
import { callSlots } from './call-slots.ts'
import { BlockCache, type CacheOptions } from './scan/block-cache.ts'
import type { FetchTuning } from './scan/remote-file.ts'
import { quoteLiteral } from './sql-text.ts'
import { makeRamDirectory, makeTempDirectory, removeDirectory } from './temp-directory.ts'

export interface DuckDbOptions {
  /** as DuckDB writes it, `4GB`; half of the memory the process may use when absent */
  readonly memoryLimit?: string
  /** all cores when absent */
  readonly threads?: number
  /** where spill files and temporary objects go; the system's temporary folder when absent */
  readonly tempDirectory?: string
  /** keeps what is read of data files behind a network; nothing is kept when absent */
  readonly cache?: CacheOptions
}

const INVALIDATED = /database has been invalidated/
const INTERRUPTED = /^INTERRUPT Error|^Interrupted/i

/** An instance that is made on first use and replaced when it breaks. */
export class DuckDatabase {
  /** how files behind a network are fetched; set by tests */
  fetching: FetchTuning | undefined
  readonly cache: BlockCache | undefined
  private readonly options: DuckDbOptions
  private instance: Promise<DuckDBInstance> | undefined
  private readonly sessions = new Set<DuckSession>()
  private readonly directories: string[] = []
  private spill: string | undefined
  private scratch: string | undefined
  private fileCount = 0
  private closed = false

  constructor(options: DuckDbOptions = {}) {
    this.options = options
    this.cache = options.cache && new BlockCache(options.cache)
  }

  /** A connection of one's own, until `release`. Temporary tables live as long as it does. */
  async acquire(): Promise<DuckSession> {
    assert(!this.closed, 'the engine is used after it was closed')
    this.instance ??= this.open()
    const opened = this.instance
    const forget = () => {
      if (this.instance === opened) this.instance = undefined
    }
    opened.catch(forget)
    const session = new DuckSession(await (await opened).connect(), {
      onRelease: (released) => this.sessions.delete(released),
      onInvalidated: forget,
    })
    this.sessions.add(session)
    return session
  }

  /** Runs work on a connection of its own and releases it whatever happens. */
  async withSession<T>(work: (session: DuckSession) => Promise<T>): Promise<T> {
    const session = await this.acquire()
    try {
      return await work(session)
    } finally {
      session.release()
    }
  }

  /** A fresh path on disk for a temporary file; whoever takes it deletes the file. */
  tempFile(suffix: string): string {
    return join(this.spillDirectory(), `t${this.fileCount++}${suffix}`)
  }

  /** A fresh path for a small temporary file, in memory where the system has a folder for that. */
  scratchFile(suffix: string): string {
    this.scratch ??= this.keep(makeRamDirectory()) ?? this.spillDirectory()
    return join(this.scratch, `t${this.fileCount++}${suffix}`)
  }

  /** Ends every connection, running queries included, and deletes the temporary folders. */
  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    for (const session of [...this.sessions]) session.end()
    for (const session of [...this.sessions]) await session.releaseWhenIdle()
    const instance = await this.instance?.catch(() => undefined)
    instance?.closeSync()
    for (const directory of this.directories) removeDirectory(directory)
  }

  private spillDirectory(): string {
    this.spill ??= this.keep(makeTempDirectory(this.options.tempDirectory))
    return this.spill
  }

  private keep<T extends string | undefined>(directory: T): T {
    if (directory !== undefined) this.directories.push(directory)
    return directory
  }

  private async open(): Promise<DuckDBInstance> {
    const { DuckDBInstance } = await import('@duckdb/node-api')
    const instance = await DuckDBInstance.create(':memory:', {
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      memory_limit: this.options.memoryLimit ?? `${Math.floor(usableMemory() / 2 / 1_048_576)}MiB`,
      temp_directory: this.spillDirectory(),
      ...(this.options.threads === undefined ? {} : { threads: String(this.options.threads) }),
    })
    const connection = await instance.connect()
    // as an option of create it is refused; GLOBAL reaches connections opened later
    await connection.run(`SET GLOBAL TimeZone=${quoteLiteral('UTC')}`)
    connection.closeSync()
    return instance
  }
}

interface SessionHooks {
  readonly onRelease: (session: DuckSession) => void
  readonly onInvalidated: () => void
}

export interface QueryOptions {
  readonly signal?: AbortSignal | undefined
  /** what is being done, for the message of a cancelled call */
  readonly what?: string
}

/** One connection: one query at a time. */
export class DuckSession {
  readonly connection: DuckDBConnection
  private readonly hooks: SessionHooks
  private busy: Promise<unknown> = Promise.resolve()
  private released = false
  private ended = false

  constructor(connection: DuckDBConnection, hooks: SessionHooks) {
    this.connection = connection
    this.hooks = hooks
  }

  /** Runs a statement for its effect. */
  async run(sql: string, options: QueryOptions = {}): Promise<void> {
    await this.guard(() => this.connection.run(sql), options)
  }

  /** All rows of a small answer. */
  async query(sql: string, options: QueryOptions = {}): Promise<DuckDBValue[][]> {
    return this.guard(async () => (await this.connection.run(sql)).getRows(), options)
  }

  /** The rows in chunks of up to 2,048, as the engine makes them; nothing is kept behind. */
  async *stream(sql: string, options: QueryOptions = {}): AsyncGenerator<DuckDBDataChunk> {
    const result: DuckDBResult = await this.guard(() => this.connection.stream(sql), options)
    for (;;) {
      const chunk = await this.guard(() => result.fetchChunk(), options)
      if (chunk === null || chunk.rowCount === 0) return
      yield chunk
    }
  }

  /** Asks the running query to stop; it then rejects. */
  interrupt(): void {
    if (!this.released) this.connection.interrupt()
  }

  /** Stops the running query and lets none begin. */
  end(): void {
    this.ended = true
    this.interrupt()
  }

  /** Ends the connection and drops its temporary tables. */
  release(): void {
    if (this.released) return
    this.released = true
    this.connection.closeSync()
    this.hooks.onRelease(this)
  }

  async releaseWhenIdle(): Promise<void> {
    await this.busy.catch(() => undefined)
    this.release()
  }

  private async guard<T>(work: () => Promise<T>, { signal, what = 'the query' }: QueryOptions): Promise<T> {
    throwIfAborted(signal, what)
    const onAbort = () => this.interrupt()
    signal?.addEventListener('abort', onAbort, { once: true })
    const running = callSlots.run(async () => {
      throwIfAborted(signal, what)
      if (this.ended) throw deltaError('LAKE_CANCELLED', { what })
      return await work()
    })
    this.busy = running
    try {
      return await running
    } catch (cause) {
      throw this.wrap(cause, signal, what)
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }

  private wrap(cause: unknown, signal: AbortSignal | undefined, what: string): unknown {
    const text = cause instanceof Error ? cause.message : String(cause)
    if (INVALIDATED.test(text) || text.startsWith('INTERNAL Error')) this.hooks.onInvalidated()
    if (signal?.aborted || INTERRUPTED.test(text)) return deltaError('LAKE_CANCELLED', { what }, { cause })
    return cause
  }
}

/** Bytes the process may use: its cgroup's limit where there is one, else the machine's memory. */
function usableMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 && limit < totalmem() ? limit : totalmem()
}
