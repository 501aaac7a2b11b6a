/**
 * Whether a commit that got ahead leaves room for a transaction: the rules of optimistic concurrency, in their order.
 *
 * The first rule that is broken gives the error. Source: `delta-protocol`, committing and conflicts; recorded pairs of
 * statements of the reference.
 */
import { assert, deltaError, type ErrorCode } from '../../errors/index.ts'
import type { Action, AddFile, Commit, DomainMetadata, Metadata, Protocol, RemoveFile } from '../actions/actions.ts'
import { isManagedLog } from '../log/index.ts'
import { canonicalPath } from '../paths/index.ts'
import { ROW_TRACKING_DOMAIN, rowIdHighWaterMark } from '../row-tracking/row-ids.ts'
import { fileMayMatch, partitionRule } from '../scan/file-may-match.ts'
import type { CommitGround, Rebased } from './commit.ts'
import { isolationOf } from './commit-info.ts'
import { beginsToTrackRows, isHarmlessMetadataChange } from './metadata-conflict.ts'
import { abortsConcurrentCommits } from './protocol-conflict.ts'
import type { Transaction } from './transaction.ts'
import type { TransactionPlan } from './transaction-plan.ts'
import { validateWritable } from './write-gate.ts'

/** The actions of a winner, by kind. */
interface Winner {
  readonly version: number
  readonly operation: string
  readonly isBlindAppend: boolean
  readonly timestampMs: number
  readonly protocol: Protocol | undefined
  readonly metadata: Metadata | undefined
  readonly appIds: ReadonlySet<string>
  readonly domains: ReadonlySet<string>
  readonly adds: readonly AddFile[]
  readonly removes: readonly RemoveFile[]
  readonly rowTracking: DomainMetadata | undefined
  /** whether it only says more of files that are live: it adds no row */
  readonly isRefresh: boolean
}

/** Operations that add live files again, with other ids. */
const REFRESHES: ReadonlySet<string> = new Set(['ROW TRACKING BACKFILL', 'ROW TRACKING UNBACKFILL'])

/**
 * @param passed canonical paths of files whose changes by the winner are settled
 * @returns the ground for the next try, the table as the winner left it, and the transaction to try it with
 * @throws ConflictError `DELTA_PROTOCOL_CHANGED`, `DELTA_METADATA_CHANGED`, `DELTA_CONCURRENT_TRANSACTION`,
 * `DELTA_CONCURRENT_DOMAIN_METADATA`, `DELTA_CONCURRENT_APPEND.…`, `DELTA_CONCURRENT_DELETE_READ.…`,
 * `DELTA_CONCURRENT_DELETE_DELETE.…`; UnsupportedError `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`
 */
export function checkConflict(
  transaction: Transaction,
  ground: CommitGround,
  commit: Commit,
  passed: ReadonlySet<string> = new Set(),
): Rebased {
  const winner = winnerOf(commit, passed)
  checkProtocol(transaction, ground, winner)
  checkMetadata(transaction, ground, winner)
  checkDomains(transaction, winner)
  checkApplications(transaction, winner)
  checkAdds(transaction, winner)
  checkRemoves(transaction, winner)
  const after: CommitGround = {
    version: winner.version,
    protocol: winner.protocol ?? ground.protocol,
    metadata: winner.metadata ?? ground.metadata,
    timestampMs: winner.timestampMs,
    rowIdHighWaterMark:
      winner.rowTracking === undefined ? ground.rowIdHighWaterMark : rowIdHighWaterMark(winner.rowTracking),
  }
  return { ground: after, transaction: takeOver(transaction, winner) }
}

/**
 * What a transaction takes over from a winner that it can live with: ids that a backfill gave to files it re-adds or
 * removes, and the end of files it meant to list anew.
 */
function takeOver(transaction: Transaction, winner: Winner): Transaction {
  const { adds, removes, refreshed } = transaction.plan
  const given = winner.isRefresh ? new Map(winner.adds.map((add) => [canonicalPath(add.path), add])) : new Map()
  const withIds = <F extends AddFile | RemoveFile>(file: F): F => {
    const other = given.get(canonicalPath(file.path))
    if (other?.baseRowId === undefined || file.baseRowId !== undefined) return file
    return { ...file, baseRowId: other.baseRowId, defaultRowCommitVersion: other.defaultRowCommitVersion }
  }
  const touched = new Set([...winner.adds, ...winner.removes].map((file) => canonicalPath(file.path)))
  return transaction.rebased({
    adds: given.size === 0 ? adds : adds.map(withIds),
    removes: given.size === 0 ? removes : removes.map(withIds),
    refreshed: refreshed.filter((file) => !touched.has(canonicalPath(file.path))),
  })
}

function winnerOf(commit: Commit, passed: ReadonlySet<string>): Winner {
  const isOpen = ({ path }: { readonly path: string }) => !passed.has(canonicalPath(path))
  const pick = <T>(choose: (action: Action) => T | undefined): T[] =>
    commit.actions.map(choose).filter((item): item is Awaited<T> & T => item !== undefined)
  const info = pick((a) => ('commitInfo' in a ? a.commitInfo : undefined))[0] ?? {}
  const time = info.inCommitTimestamp
  const operation = typeof info.operation === 'string' ? info.operation : 'commit'
  const domains = pick((a) => ('domainMetadata' in a ? a.domainMetadata : undefined))
  return {
    version: commit.version,
    operation,
    isBlindAppend: info.isBlindAppend === true,
    timestampMs: typeof time === 'number' ? time : commit.modifiedMs,
    protocol: pick((a) => ('protocol' in a ? a.protocol : undefined))[0],
    metadata: pick((a) => ('metaData' in a ? a.metaData : undefined))[0],
    appIds: new Set(pick((a) => ('txn' in a ? a.txn.appId : undefined))),
    domains: new Set(domains.map(({ domain }) => domain)),
    adds: pick((a) => ('add' in a ? a.add : undefined)).filter(isOpen),
    removes: pick((a) => ('remove' in a ? a.remove : undefined)).filter(isOpen),
    rowTracking: domains.find(({ domain }) => domain === ROW_TRACKING_DOMAIN),
    isRefresh: REFRESHES.has(operation),
  }
}

function conflict(code: ErrorCode, transaction: Transaction, winner: Winner, more: object = {}): Error {
  const { location: path } = transaction.base.store
  return deltaError(code, { path, version: winner.version, operation: winner.operation, ...more })
}

function checkProtocol(transaction: Transaction, ground: CommitGround, winner: Winner): void {
  if (winner.protocol === undefined) return
  const { snapshot, store } = transaction.base
  assert(snapshot !== undefined && ground.protocol !== undefined, 'a table that is being created meets no winner')
  const { drops } = transaction.options
  validateWritable(winner.protocol, snapshot, { path: store.location, isManaged: isManagedLog(store), drops })
  if (transaction.plan.protocol !== undefined || abortsConcurrentCommits(ground.protocol, winner.protocol)) {
    throw conflict('DELTA_PROTOCOL_CHANGED', transaction, winner)
  }
}

function checkMetadata(transaction: Transaction, ground: CommitGround, winner: Winner): void {
  if (winner.metadata === undefined) return
  const harmless =
    transaction.plan.metadata === undefined &&
    ground.metadata !== undefined &&
    isHarmlessMetadataChange(ground.metadata, winner.metadata) &&
    !(movesRows(transaction.plan) && beginsToTrackRows(ground.metadata, winner.metadata))
  if (!harmless) throw conflict('DELTA_METADATA_CHANGED', transaction, winner)
}

/** Whether rows of files that are removed may come back in new files. */
function movesRows({ adds, removes }: TransactionPlan): boolean {
  const removed = new Set(removes.map(({ path }) => path))
  return removed.size > 0 && adds.some(({ path }) => !removed.has(path))
}

function checkDomains(transaction: Transaction, winner: Winner): void {
  for (const domain of transaction.plan.domains.keys()) {
    // row ids are given out anew by whoever comes later
    if (domain === ROW_TRACKING_DOMAIN || !winner.domains.has(domain)) continue
    throw conflict('DELTA_CONCURRENT_DOMAIN_METADATA', transaction, winner, { domain })
  }
}

function checkApplications(transaction: Transaction, winner: Winner): void {
  for (const appId of transaction.plan.transactions.keys()) {
    if (winner.appIds.has(appId)) throw conflict('DELTA_CONCURRENT_TRANSACTION', transaction, winner, { appId })
  }
}

function checkAdds(transaction: Transaction, winner: Winner): void {
  const { rules } = transaction.plan.reads
  const isolation = isolationOf(transaction)
  if (rules.length === 0 || isolation === 'SnapshotIsolation' || winner.isRefresh) return
  const passes = isolation === 'WriteSerializable' && winner.isBlindAppend && transaction.plan.metadata === undefined
  if (passes) return
  const asked = transaction.options.rowLevelConcurrency ? rules : rules.map(partitionRule)
  const hit = winner.adds.find((add) => asked.some((rule) => fileMayMatch(rule, add)))
  if (hit === undefined) return
  const partition = partitionText(hit)
  if (partition === undefined) throw conflict('DELTA_CONCURRENT_APPEND.WITHOUT_HINT', transaction, winner)
  throw conflict('DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT', transaction, winner, { partition })
}

function partitionText(file: AddFile): string | undefined {
  if (file.partitionValues.size === 0) return undefined
  return Array.from(file.partitionValues, ([name, value]) => `${name}=${value ?? 'null'}`).join(', ')
}

function checkRemoves(transaction: Transaction, winner: Winner): void {
  const { reads, removes } = transaction.plan
  const removed = new Set(winner.removes.map((remove) => canonicalPath(remove.path)))
  if (removed.size === 0) return
  const { files } = reads
  const read = files === 'all' ? [...removed][0] : [...removed].find((path) => files.has(path))
  if (read !== undefined) {
    throw conflict('DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT', transaction, winner, { file: read })
  }
  const both = removes.find((remove) => removed.has(canonicalPath(remove.path)))
  if (both === undefined) return
  throw conflict('DELTA_CONCURRENT_DELETE_DELETE.WITHOUT_HINT', transaction, winner, { file: both.path })
}
