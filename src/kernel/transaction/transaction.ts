/**
 * A change of a table, collected step by step and committed as one version.
 *
 * Each step gives a new transaction; nothing is written before `commit`.
 */
import type { StructType } from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { JsonObject } from '../../support/index.ts'
import type {
  AddCDCFile,
  AddFile,
  DomainMetadata,
  Metadata,
  Protocol,
  RemoveFile,
  SetTransaction,
} from '../actions/actions.ts'
import { isManagedLog } from '../log/index.ts'
import { canonicalPath } from '../paths/index.ts'
import type { SkippingRule } from '../scan/skipping-rule.ts'
import type { LogEngine } from '../snapshot/file-index.ts'
import type { TableLayout } from '../snapshot/layout.ts'
import { layoutOf } from '../snapshot/layout-of.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { type CommitOptions, type CommitOutcome, commitTransaction } from './commit.ts'
import { emptyPlan, type MetricValue, type TransactionOptions, type TransactionPlan } from './transaction-plan.ts'
import { validatePlan } from './validate-plan.ts'
import { validateWritable } from './write-gate.ts'

/** What a transaction starts from; `snapshot` is absent for a table that is being created. */
export interface TransactionBase {
  readonly store: ObjectStore
  readonly log: LogEngine
  readonly snapshot: Snapshot | undefined
}

export class Transaction {
  readonly base: TransactionBase
  readonly options: TransactionOptions
  readonly plan: TransactionPlan

  constructor(base: TransactionBase, options: TransactionOptions, plan: TransactionPlan) {
    this.base = base
    this.options = options
    this.plan = plan
  }

  private with(changes: Partial<TransactionPlan>): Transaction {
    return new Transaction(this.base, this.options, { ...this.plan, ...changes })
  }

  /** The table's metadata as it will be. */
  get metadata(): Metadata {
    return (this.plan.metadata ?? this.base.snapshot?.metadata)!
  }

  get protocol(): Protocol {
    return (this.plan.protocol ?? this.base.snapshot?.protocol)!
  }

  /** The table's domains as they will be, removed ones left out. */
  get domains(): ReadonlyMap<string, DomainMetadata> {
    const domains = new Map([...(this.base.snapshot?.domains ?? []), ...this.plan.domains])
    for (const [name, domain] of domains) if (domain.removed) domains.delete(name)
    return domains
  }

  /** The layout that data files of this transaction are written by. */
  get layout(): TableLayout {
    const { metadata, protocol } = this.plan
    const changed = metadata !== undefined || protocol !== undefined
    return changed ? layoutOf(this.protocol, this.metadata) : this.base.snapshot!.layout
  }

  get schema(): StructType {
    return this.layout.schema
  }

  /** Adds files that lie in the store. */
  addFiles(files: readonly AddFile[]): Transaction {
    return this.with({ adds: [...this.plan.adds, ...files] })
  }

  /**
   * Removes live files.
   *
   * @param options.dataChange false when the same rows come back in other files; true when absent
   */
  removeFiles(files: readonly AddFile[], options: { dataChange?: boolean } = {}): Transaction {
    const removes = files.map((file) => removeOf(file, options.dataChange ?? true))
    return this.with({ removes: [...this.plan.removes, ...removes] })
  }

  /**
   * Lists live files anew with what the log says of them changed: their rows and deletion vectors stay as they are. One
   * that another commit removes or lists anew meanwhile is left out.
   */
  refreshFiles(files: readonly AddFile[]): Transaction {
    return this.with({ refreshed: [...this.plan.refreshed, ...files.map((file) => ({ ...file, dataChange: false }))] })
  }

  /**
   * Lists objects that are no data files, by their paths, as removed now: whoever cleans the table up without knowing
   * what they are keeps them as long as the table's tombstones count.
   */
  buryObjects(paths: readonly string[]): Transaction {
    const removes = paths.map((path): RemoveFile => ({ path, dataChange: false }))
    return this.with({ removes: [...this.plan.removes, ...removes] })
  }

  /** The transaction with what it took over from a commit that got ahead. */
  rebased(changes: Pick<TransactionPlan, 'adds' | 'removes' | 'refreshed'>): Transaction {
    return this.with(changes)
  }

  addChangeFiles(files: readonly AddCDCFile[]): Transaction {
    return this.with({ cdc: [...this.plan.cdc, ...files] })
  }

  /** Replaces the whole metadata; at most one goes into a commit, the last one set. */
  setMetadata(metadata: Metadata): Transaction {
    return this.with({ metadata })
  }

  setProtocol(protocol: Protocol): Transaction {
    return this.with({ protocol })
  }

  /** Records how far an application has come. Another commit that moved the same appId meanwhile is a conflict. */
  setTransaction(transaction: SetTransaction): Transaction {
    return this.with({ transactions: new Map(this.plan.transactions).set(transaction.appId, transaction) })
  }

  /** Tells of the change by other parameters than it was begun with: by those that speak of what was planned. */
  setParameters(operationParameters: JsonObject): Transaction {
    return new Transaction(this.base, { ...this.options, operationParameters }, this.plan)
  }

  setDomain(domain: DomainMetadata): Transaction {
    return this.with({ domains: new Map(this.plan.domains).set(domain.domain, domain) })
  }

  /** Adds tags to the commit's info. */
  setTags(tags: JsonObject): Transaction {
    return new Transaction(this.base, { ...this.options, tags: { ...this.options.tags, ...tags } }, this.plan)
  }

  setMetrics(metrics: Readonly<Record<string, MetricValue>>): Transaction {
    return this.with({ metrics: new Map([...this.plan.metrics, ...Object.entries(metrics)]) })
  }

  /** Says that the change rests on the whole table: an overwrite, a query over all of it. */
  readsTable(): Transaction {
    const rules = [{ kind: 'keep', reason: 'the whole table was read' }] as const
    return this.with({ reads: { ...this.plan.reads, rules, files: 'all' } })
  }

  /** Says that the change rests on the files a rule keeps, of which these were opened. */
  reads(rule: SkippingRule, files: readonly AddFile[]): Transaction {
    const { rules, files: known, exact } = this.plan.reads
    if (known === 'all') return this
    const paths = new Set([...known, ...files.map((file) => canonicalPath(file.path))])
    return this.with({ reads: { rules: [...rules, rule], files: paths, exact } })
  }

  /**
   * Says that of what was read only the rows taken out matter, so that with `rowLevelConcurrency` others may change any
   * other row meanwhile: true of a DELETE or UPDATE, not of a query.
   */
  restsOnRemovedRows(): Transaction {
    return this.with({ reads: { ...this.plan.reads, exact: true } })
  }

  /**
   * Writes the next version of the log.
   *
   * Every expected end is a value; what is thrown had no effect on the table. Data files are never written again
   * because a version was lost. The operation of a blind append goes on past commits of others; any other is checked
   * against each of them.
   *
   * @throws DeltaError `DELTA_CANNOT_MODIFY_APPEND_ONLY`, `LAKE_STORAGE_ACCESS_DENIED`, `LAKE_STORAGE_FULL`,
   * `LAKE_STORAGE_READ_ONLY`, `LAKE_CANCELLED` before anything was sent
   */
  async commit(options: CommitOptions = {}): Promise<CommitOutcome> {
    validatePlan(this)
    return commitTransaction(this, options)
  }
}

/**
 * Starts a change of a table.
 *
 * @throws DeltaError `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`, `DELTA_INVALID_PROTOCOL_VERSION`
 */
export function beginTransaction(snapshot: Snapshot, options: TransactionOptions): Transaction {
  const { protocol, store } = snapshot
  const { drops } = options
  validateWritable(protocol, snapshot, { path: store.location, isManaged: isManagedLog(store), drops })
  return new Transaction({ store: snapshot.store, log: snapshot.log, snapshot }, options, emptyPlan)
}

/** The end of a live file; it repeats the path's text. */
function removeOf(file: AddFile, dataChange: boolean): RemoveFile {
  const { path, partitionValues, size, tags, deletionVector, baseRowId, defaultRowCommitVersion } = file
  return {
    path,
    dataChange,
    extendedFileMetadata: true,
    partitionValues,
    size,
    ...(tags === undefined ? {} : { tags }),
    ...(deletionVector === undefined ? {} : { deletionVector }),
    ...(baseRowId === undefined ? {} : { baseRowId }),
    ...(defaultRowCommitVersion === undefined ? {} : { defaultRowCommitVersion }),
  }
}
