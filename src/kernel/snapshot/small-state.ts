/**
 * The few actions of a log that are no files, replayed: newest of each kind and key wins.
 *
 * Source: Delta protocol, "Action Reconciliation".
 */
import type {
  Action,
  CommitInfo,
  DomainMetadata,
  Metadata,
  Protocol,
  SetTransaction,
  SidecarFile,
} from '../actions/actions.ts'

export interface SmallState {
  readonly protocol: Protocol | undefined
  readonly metadata: Metadata | undefined
  readonly transactions: ReadonlyMap<string, SetTransaction>
  /** removed domains left out */
  readonly domains: ReadonlyMap<string, DomainMetadata>
}

export const emptyState: SmallState = {
  protocol: undefined,
  metadata: undefined,
  transactions: new Map(),
  domains: new Map(),
}

/**
 * The state after some more actions of one version.
 *
 * Maps are copied only when one of the actions changes them.
 */
export function replay(state: SmallState, actions: readonly Action[]): SmallState {
  let { protocol, metadata } = state
  let transactions: Map<string, SetTransaction> | undefined
  let domains: Map<string, DomainMetadata> | undefined
  for (const action of actions) {
    if ('protocol' in action) protocol = action.protocol
    else if ('metaData' in action) metadata = action.metaData
    else if ('txn' in action) {
      transactions ??= new Map(state.transactions)
      transactions.set(action.txn.appId, action.txn)
    } else if ('domainMetadata' in action) {
      domains ??= new Map(state.domains)
      if (action.domainMetadata.removed) domains.delete(action.domainMetadata.domain)
      else domains.set(action.domainMetadata.domain, action.domainMetadata)
    }
  }
  return {
    protocol,
    metadata,
    transactions: transactions ?? state.transactions,
    domains: domains ?? state.domains,
  }
}

export function commitInfoOf(actions: readonly Action[]): CommitInfo | undefined {
  for (const action of actions) if ('commitInfo' in action) return action.commitInfo
  return undefined
}

export function sidecarsOf(actions: readonly Action[]): SidecarFile[] {
  return actions.flatMap((action) => ('sidecar' in action ? [action.sidecar] : []))
}
