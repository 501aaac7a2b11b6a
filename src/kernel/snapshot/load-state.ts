/** What a table is at a version, without the list of its files. */
import type { ObjectStore } from '../../storage/index.ts'
import type { Action } from '../actions/actions.ts'
import { openLog, type WarningList } from '../log/index.ts'
import type { LogEngine } from './file-index.ts'
import { buildFromLog, loadSmall } from './load-small.ts'
import { replay, type SmallState } from './small-state.ts'
import { type TableState, tableState } from './table-state.ts'

/** A table at a version; the next one follows from the small actions of its commit. */
export interface VersionState extends TableState {
  readonly version: number
  readonly small: SmallState
}

export interface LoadStateOptions {
  /** the latest when absent */
  readonly version?: number
  readonly warnings: WarningList
  readonly signal?: AbortSignal
}

/** @throws what `loadSnapshot` throws for the log */
export async function loadState(store: ObjectStore, log: LogEngine, options: LoadStateOptions): Promise<VersionState> {
  const view = await openLog(store, options)
  const context = { ...options, asked: options.version !== undefined }
  const { small } = await buildFromLog(store, view, context, (segment) => loadSmall(store, log, segment, options))
  return { version: view.version, small, ...tableState(store, view.version, small) }
}

/** The state after the next commit; the shape of the table is made anew only where the commit changes it. */
export function nextState(store: ObjectStore, state: VersionState, actions: readonly Action[]): VersionState {
  const version = state.version + 1
  const small = replay(state.small, actions)
  const same = small.metadata === state.small.metadata && small.protocol === state.small.protocol
  const { transactions, domains } = small
  const shape = same ? { ...state, transactions, domains } : tableState(store, version, small)
  return { ...shape, version, small }
}
