/**
 * Whether a commit that got ahead leaves room for a transaction: the rules of optimistic concurrency, in their order.
 *
 * The first rule that is broken gives the error. Source: `delta-protocol`, committing and conflicts; recorded pairs of
 * statements of the reference.
 */
import { assert, deltaError, type ErrorCode } from '../../errors/index.ts'
import type { Action, AddFile, Commit, Metadata, Protocol, RemoveFile } from '../actions/actions.ts'
import { canonicalPath } from '../paths/index.ts'
import { fileMayMatch, partitionRule } from '../scan/file-may-match.ts'
import type { CommitGround } from './commit.ts'
import { isolationOf } from './commit-info.ts'
import { isHarmlessMetadataChange } from './metadata-conflict.ts'
import { abortsConcurrentCommits } from './protocol-conflict.ts'
import type { Transaction } from './transaction.ts'
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
}

/** Row ids are given out anew by whoever comes later, so this domain never conflicts. */
const ROW_TRACKING_DOMAIN = 'delta.rowTracking'

/**
 * @returns the ground for the next try: the table as the winner left it
 * @throws ConflictError `DELTA_PROTOCOL_CHANGED`, `DELTA_METADATA_CHANGED`, `DELTA_CONCURRENT_TRANSACTION`,
 * `DELTA_CONCURRENT_DOMAIN_METADATA`, `DELTA_CONCURRENT_APPEND.…`, `DELTA_CONCURRENT_DELETE_READ.…`,
 * `DELTA_CONCURRENT_DELETE_DELETE.…`; UnsupportedError `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`
 */
export function checkConflict(transaction: Transaction, ground: CommitGround, commit: Commit): CommitGround {
  const winner = winnerOf(commit)
  checkProtocol(transaction, ground, winner)
  checkMetadata(transaction, ground, winner)
  checkDomains(transaction, winner)
  checkApplications(transaction, winner)
  checkAdds(transaction, winner)
  checkRemoves(transaction, winner)
  return {
    version: winner.version,
    protocol: winner.protocol ?? ground.protocol,
    metadata: winner.metadata ?? ground.metadata,
    timestampMs: winner.timestampMs,
  }
}

function winnerOf(commit: Commit): Winner {
  const pick = <T>(choose: (action: Action) => T | undefined): T[] =>
    commit.actions.map(choose).filter((item): item is Awaited<T> & T => item !== undefined)
  const info = pick((a) => ('commitInfo' in a ? a.commitInfo : undefined))[0] ?? {}
  const time = info.inCommitTimestamp
  return {
    version: commit.version,
    operation: typeof info.operation === 'string' ? info.operation : 'commit',
    isBlindAppend: info.isBlindAppend === true,
    timestampMs: typeof time === 'number' ? time : commit.modifiedMs,
    protocol: pick((a) => ('protocol' in a ? a.protocol : undefined))[0],
    metadata: pick((a) => ('metaData' in a ? a.metaData : undefined))[0],
    appIds: new Set(pick((a) => ('txn' in a ? a.txn.appId : undefined))),
    domains: new Set(pick((a) => ('domainMetadata' in a ? a.domainMetadata.domain : undefined))),
    adds: pick((a) => ('add' in a ? a.add : undefined)),
    removes: pick((a) => ('remove' in a ? a.remove : undefined)),
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
  validateWritable(winner.protocol, snapshot, store.location)
  if (transaction.plan.protocol !== undefined || abortsConcurrentCommits(ground.protocol, winner.protocol)) {
    throw conflict('DELTA_PROTOCOL_CHANGED', transaction, winner)
  }
}

function checkMetadata(transaction: Transaction, ground: CommitGround, winner: Winner): void {
  if (winner.metadata === undefined) return
  const harmless =
    transaction.plan.metadata === undefined &&
    ground.metadata !== undefined &&
    isHarmlessMetadataChange(ground.metadata, winner.metadata)
  if (!harmless) throw conflict('DELTA_METADATA_CHANGED', transaction, winner)
}

function checkDomains(transaction: Transaction, winner: Winner): void {
  for (const domain of transaction.plan.domains.keys()) {
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
  if (rules.length === 0 || isolation === 'SnapshotIsolation') return
  const passes = isolation === 'WriteSerializable' && winner.isBlindAppend && transaction.plan.metadata === undefined
  if (passes) return
  const asked = rules.map(partitionRule)
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
