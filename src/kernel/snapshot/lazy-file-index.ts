/**
 * An index of live files that is built when it is first asked something.
 *
 * What a table is stands in a few small actions; whoever asks only for those pays nothing for its files. Commits that
 * come before the first question are kept and taken in with it.
 */
import { assert, isDeltaError } from '../../errors/index.ts'
import type { AddFile, RemoveFile } from '../actions/actions.ts'
import type { SkippingRule } from '../scan/skipping-rule.ts'
import type { FileBatch } from './file-batch.ts'
import type { FileActions, FileIndex, FileTotals, SelectOptions } from './file-index.ts'
import type { FileSummary } from './file-tally.ts'

/** Builds the index at the version of the last of `later`: commits behind those the opener knows itself. */
export type OpenFileIndex = (later: readonly FileActions[], signal: AbortSignal | undefined) => Promise<FileIndex>

export interface LazyFiles {
  readonly openWith: OpenFileIndex
  /** told of the totals when they are first known */
  readonly onTotals?: (totals: FileTotals) => void
  /** commits behind those the opener knows */
  readonly later?: readonly FileActions[]
  /** whether building the index is quickly done */
  readonly isSmall?: boolean
}

export class LazyFileIndex implements FileIndex {
  readonly version: number
  private readonly openWith: OpenFileIndex
  private readonly later: readonly FileActions[]
  private readonly onTotals: (totals: FileTotals) => void
  private readonly isSmall: boolean
  private opening: Promise<FileIndex> | undefined
  private closed = false

  constructor(version: number, { openWith, onTotals = () => {}, later = [], isSmall = false }: LazyFiles) {
    this.version = version
    this.openWith = openWith
    this.onTotals = onTotals
    this.later = later
    this.isSmall = isSmall
  }

  async totals(options: SelectOptions = {}): Promise<FileTotals> {
    const totals = await (await this.opened(options.signal)).totals(options)
    this.onTotals(totals)
    return totals
  }

  async summary(options: SelectOptions = {}): Promise<FileSummary | undefined> {
    if (this.opening === undefined && !this.isSmall) return undefined
    return await (await this.opened(options.signal)).summary?.(options)
  }

  async *select(rule?: SkippingRule, options: SelectOptions = {}): AsyncGenerator<readonly AddFile[]> {
    yield* (await this.opened(options.signal)).select(rule, options)
  }

  async *list(rule?: SkippingRule, options: SelectOptions = {}): AsyncGenerator<FileBatch> {
    yield* (await this.opened(options.signal)).list(rule, options)
  }

  async find(path: string): Promise<AddFile | undefined> {
    return await (await this.opened()).find(path)
  }

  async *tombstones(expiredBeforeMs: number): AsyncGenerator<readonly RemoveFile[]> {
    yield* (await this.opened()).tombstones(expiredBeforeMs)
  }

  async advance(commit: FileActions): Promise<FileIndex> {
    assert(!this.closed, `the file index of version ${this.version} is open`)
    assert(commit.version === this.version + 1, `commit ${commit.version} follows version ${this.version}`)
    if (this.opening === undefined) {
      const { openWith, isSmall, later } = this
      return new LazyFileIndex(commit.version, { openWith, isSmall, later: [...later, commit] })
    }
    return await (await this.opened()).advance(commit)
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    const index = await this.opening?.catch(() => undefined)
    await index?.close()
  }

  /** A failed attempt, or one that somebody else cancelled, is made again by the next question. */
  private async opened(signal?: AbortSignal): Promise<FileIndex> {
    for (;;) {
      assert(!this.closed, `the file index of version ${this.version} is open`)
      const mine = this.opening === undefined
      this.opening ??= this.openWith(this.later, signal)
      const opening = this.opening
      try {
        return await opening
      } catch (error) {
        if (this.opening === opening) this.opening = undefined
        if (mine || !isDeltaError(error, 'LAKE_CANCELLED')) throw error
      }
    }
  }
}
