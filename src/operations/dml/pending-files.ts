/** Objects that an operation has put into the store and that are in no commit yet. */
import type { RowSource, WritePlan, WriteResult } from '../../engine/index.ts'
import { isDeltaError } from '../../errors/index.ts'
import {
  type DeletionVectorDescriptor,
  property,
  type RowSet,
  requireCommitted,
  type Transaction,
  writeDeletionVectors,
} from '../../kernel/index.ts'
import { tryCommit } from '../commit.ts'
import type { OperationContext } from '../context.ts'

export class PendingFiles {
  private readonly context: OperationContext
  private readonly keys: string[] = []

  constructor(context: OperationContext) {
    this.context = context
  }

  /** As `Engine.write`. */
  async write(source: RowSource, plan: WritePlan): Promise<WriteResult> {
    return this.keep(await this.context.engine.write(source, plan, this.context.options))
  }

  /** Takes charge of files that were written otherwise. */
  keep(written: WriteResult): WriteResult {
    this.keys.push(...written.files.map(({ key }) => key))
    return written
  }

  /** The vectors of one change, in one file. */
  async writeVectors(
    sets: readonly RowSet[],
    configuration: ReadonlyMap<string, string>,
  ): Promise<readonly DeletionVectorDescriptor[]> {
    if (sets.length === 0) return []
    const { store, options } = this.context
    const prefix = vectorPrefix(configuration)
    const { signal } = options
    const written = await writeDeletionVectors(store, sets, { prefix, ...(signal && { signal }) })
    this.keys.push(written.key)
    return written.descriptors
  }

  /**
   * Commits a change that names the files, and deletes them where nothing of it is in the table.
   *
   * @returns the version made
   * @throws DeltaError conflict codes, `LAKE_COMMIT_UNKNOWN`, in which case the files stay
   */
  async commit(transaction: Transaction): Promise<number> {
    return requireCommitted(await tryCommit(transaction, this.context, { onWritten: (key) => this.keys.push(key) }))
  }

  /** Does work that ends in a commit; where it fails before anything is in the table the files are deleted. */
  async orDiscard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!isDeltaError(error, 'LAKE_COMMIT_UNKNOWN')) await this.discard()
      throw error
    }
  }

  private async discard(): Promise<void> {
    const { store, warn } = this.context
    for (const key of this.keys) {
      await store.delete(key).catch(() => warn(`the file ${key}, which is in no commit, could not be deleted`))
    }
  }
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** The folder vectors lie in where a table spreads its files over random ones. */
function vectorPrefix(configuration: ReadonlyMap<string, string>): string {
  if (!property(configuration, 'randomizeFilePrefixes')) return ''
  const bytes = crypto.getRandomValues(new Uint8Array(property(configuration, 'randomPrefixLength')))
  return Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]!).join('')
}
