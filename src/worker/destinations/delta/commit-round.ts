/**
 * One round as the next version of a table.
 *
 * The kernel's transaction settles lost answers and steps over other appends. Here stands what is this destination's own:
 * a winner's change of metadata is looked at, and lived with where the files still fit; eight losses are enough; and a
 * commit whose outcome stayed unknown is looked for in the log before anything is written again.
 */
import type { WrittenFile } from '../../../engine/index.ts'
import { deltaError } from '../../../errors/index.ts'
import {
  beginTransaction,
  type Commit,
  readCommit,
  requireCommitted,
  type SetTransaction,
  type Transaction,
} from '../../../kernel/index.ts'
import { addFileOf, ENGINE_INFO } from '../../../operations/index.ts'
import { faultOfProtocol } from './check-table.ts'
import type { DestinationTable } from './table.ts'

const MAX_LOSSES = 8

/** The kernel writes features that this destination does not: a table that gets one meanwhile is left alone. */
function checkWinner({ actions }: Commit): void {
  for (const action of actions) {
    const fault = 'protocol' in action ? faultOfProtocol(action.protocol) : undefined
    if (fault !== undefined) throw fault
  }
}

export interface RoundCommit {
  readonly files: readonly WrittenFile[]
  /** how far each partition of each source has come with this round */
  readonly positions: ReadonlyMap<string, { readonly from: bigint; readonly to: bigint }>
  readonly numRows: number
}

export interface CommittedRound {
  readonly version: number
  readonly losses: number
}

export interface CommitRoundOptions {
  /** how long an unknown outcome is asked for, milliseconds */
  readonly settleMs: number
}

/**
 * @throws DeltaError `WORKER_COMMIT_LOST`, `WORKER_TABLE_CHANGED`, `WORKER_POSITION_MOVED`, `WORKER_TABLE_PROTOCOL`,
 * `LAKE_COMMIT_UNKNOWN`, `LAKE_STORAGE_…`
 */
export async function commitRound(
  table: DestinationTable,
  round: RoundCommit,
  options: CommitRoundOptions,
): Promise<CommittedRound> {
  let losses = 0
  while (true) {
    checkPositions(table, round)
    const outcome = await transactionOf(table, round).commit({
      ...options,
      checkWinner,
      maxLosses: MAX_LOSSES - losses,
    })
    if (outcome.kind === 'committed') return { version: outcome.version, losses: losses + outcome.losses }
    if (outcome.kind === 'unknown') return { version: requireCommitted(outcome), losses }
    losses += outcome.losses
    if (losses >= MAX_LOSSES) throw deltaError('WORKER_COMMIT_LOST', {}, { cause: outcome.error })
    await table.refresh()
  }
}

/** A source's place in the table that is not where this worker left it: somebody else writes under its name. */
function checkPositions(table: DestinationTable, { positions }: RoundCommit): void {
  for (const [appId, { from }] of positions) {
    const found = table.snapshot.transactions.get(appId)?.version ?? 0n
    if (found > from) throw deltaError('WORKER_POSITION_MOVED', { appId, expected: from, found })
  }
}

function transactionOf(table: DestinationTable, { files, positions, numRows }: RoundCommit): Transaction {
  const options = {
    operation: 'STREAMING UPDATE',
    operationParameters: { outputMode: 'Append' },
    engineInfo: ENGINE_INFO,
  }
  const lastUpdated = Date.now()
  const moved = Array.from(positions, ([appId, { to }]): SetTransaction => ({ appId, version: to, lastUpdated }))
  const numOutputBytes = files.reduce((sum, file) => sum + file.size, 0)
  return moved
    .reduce((transaction, txn) => transaction.setTransaction(txn), beginTransaction(table.snapshot, options))
    .addFiles(files.map(addFileOf))
    .setMetrics({ numAddedFiles: files.length, numRemovedFiles: 0, numOutputRows: numRows, numOutputBytes })
}

/** The version above `since` that holds one of the files, if any: a commit whose answer never came. */
export async function findCommitOf(
  table: DestinationTable,
  files: readonly WrittenFile[],
  since: number,
): Promise<number | undefined> {
  const paths = new Set(files.map((file) => addFileOf(file).path))
  await table.refresh()
  for (let version = since + 1; version <= table.snapshot.version; version++) {
    const { actions } = await readCommit(table.options.store, version)
    if (actions.some((action) => 'add' in action && paths.has(action.add.path))) return version
  }
  return undefined
}
