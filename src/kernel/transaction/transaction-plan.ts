/** What a transaction wants to change and what it read: plain data, made by `Transaction`, carried out by `commit`. */
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
import type { SkippingRule } from '../scan/skipping-rule.ts'

export interface TransactionOptions {
  /** commitInfo's `operation`, under the reference's name: `WRITE`, `STREAMING UPDATE`, `CREATE TABLE` … */
  readonly operation: string
  /** values are JSON-encoded texts as the reference writes them, or raw where it writes them raw */
  readonly operationParameters?: JsonObject
  readonly engineInfo?: string
  /** who makes the commit */
  readonly userName?: string
  readonly userMetadata?: string
  readonly tags?: JsonObject
  /** a feature, by its name in the protocol, that the commit takes part in dropping: it need not be writable otherwise */
  readonly drops?: string
  /**
   * true: others' changes that provably touch other rows than this one do not conflict with it. Files they added are held
   * to the statistics of the rules read, not to partition values alone. The reference has nothing like it
   */
  readonly rowLevelConcurrency?: boolean
  /** what commitInfo says of a commit that moves no file and looks at none */
  readonly isolationLevel?: 'SnapshotIsolation'
}

/** A metric's value; commitInfo holds it as text. */
export type MetricValue = number | bigint | string

/**
 * What a transaction read of its snapshot: the ground on which another commit may not have trodden.
 *
 * A transaction that read nothing is a blind append when it only adds.
 */
export interface TransactionReads {
  /** added files that may match one of them conflict; a rule `keep` stands for the whole table */
  readonly rules: readonly SkippingRule[]
  /** canonical paths of the files read: their removal conflicts; `all` after reading the whole table */
  readonly files: 'all' | ReadonlySet<string>
  /** whether the rows it rests on are exactly those it takes out, so that other rows may change or go meanwhile */
  readonly exact: boolean
}

export interface TransactionPlan {
  readonly adds: readonly AddFile[]
  /** without a deletionTimestamp: the commit sets it */
  readonly removes: readonly RemoveFile[]
  /** live files of which the log says something else from now on, rows and deletion vector as before */
  readonly refreshed: readonly AddFile[]
  readonly cdc: readonly AddCDCFile[]
  readonly metadata: Metadata | undefined
  readonly protocol: Protocol | undefined
  readonly transactions: ReadonlyMap<string, SetTransaction>
  readonly domains: ReadonlyMap<string, DomainMetadata>
  readonly metrics: ReadonlyMap<string, MetricValue>
  readonly reads: TransactionReads
}

export const emptyPlan: TransactionPlan = {
  adds: [],
  removes: [],
  refreshed: [],
  cdc: [],
  metadata: undefined,
  protocol: undefined,
  transactions: new Map(),
  domains: new Map(),
  metrics: new Map(),
  reads: { rules: [], files: new Set(), exact: false },
}

/** Whether the plan changes no row: OPTIMIZE and other rearrangements. */
export function changesData(plan: TransactionPlan): boolean {
  return plan.adds.some((add) => add.dataChange) || plan.removes.some((remove) => remove.dataChange)
}

/** Whether the plan read nothing and removes nothing. */
export function isBlindAppend(plan: TransactionPlan): boolean {
  const { rules, files } = plan.reads
  const moves = plan.removes.length > 0 || plan.refreshed.length > 0
  return !moves && rules.length === 0 && files !== 'all' && files.size === 0
}
