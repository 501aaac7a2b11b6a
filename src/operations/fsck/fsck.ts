/**
 * FSCK: looks at a table, says what is wrong with it, and puts right what can be.
 *
 * Files that are gone leave the table; statistics that say less or more than the files hold are made anew. Everything else
 * is told, with what to do. Nothing is deleted from the store.
 */
import { causeText, isDeltaError } from '../../errors/index.ts'
import { type AddFile, loadSnapshot, type Snapshot } from '../../kernel/index.ts'
import { beginChange, commitChange } from '../commit.ts'
import type { OperationContext } from '../context.ts'
import { type FsckCommand, type FsckProblem, type FsckResult, MAX_FSCK_PROBLEMS } from '../upkeep-command.ts'
import { checkFiles } from './check-files.ts'
import { checkLog } from './check-log.ts'
import { countOrphans } from './orphans.ts'

/** What was found; the files to be put right among it. */
export class Findings {
  readonly problems: FsckProblem[] = []
  numProblems = 0
  numFiles = 0
  readonly missing: AddFile[] = []
  /** with the statistics they ought to have */
  readonly refreshed: AddFile[] = []

  tell(problem: Omit<FsckProblem, 'repair'> & { readonly repair?: string }): void {
    this.numProblems++
    if (this.problems.length < MAX_FSCK_PROBLEMS) this.problems.push({ repair: null, ...problem })
  }
}

/**
 * A table that cannot be loaded is looked at all the same, as far as its log can be read.
 *
 * @throws DeltaError `DELTA_TABLE_NOT_FOUND`, a `LAKE_STORAGE_…` code, `LAKE_CANCELLED`; of a repair conflict codes
 */
export async function executeFsck(command: FsckCommand, context: OperationContext): Promise<FsckResult> {
  const findings = new Findings()
  const snapshot = await loadAnew(findings, context)
  try {
    await checkLog(snapshot, findings, context)
    if (snapshot === undefined) return resultOf(findings, undefined, { files: 0, bytes: 0 })
    return await checkTable(command, snapshot, findings, context)
  } finally {
    await snapshot?.close()
  }
}

/** From the log as it lies there: what this process remembers of it may be older than the fault. */
async function loadAnew(
  findings: Findings,
  { store, engine, options: { signal } }: OperationContext,
): Promise<Snapshot | undefined> {
  let snapshot: Snapshot | undefined
  try {
    snapshot = await loadSnapshot(store, engine, signal && { signal })
    // what lies between is read with the files
    await snapshot.files.totals(signal && { signal })
    return snapshot
  } catch (error) {
    await snapshot?.close()
    if (!isDeltaError(error) || !isOfLog(error.code)) throw error
    findings.tell({ kind: 'log', path: null, problem: `the newest version cannot be loaded: ${causeText(error)}` })
    return undefined
  }
}

function isOfLog(code: string): boolean {
  return !code.startsWith('LAKE_STORAGE_') && !['LAKE_CANCELLED', 'DELTA_TABLE_NOT_FOUND'].includes(code)
}

async function checkTable(
  command: FsckCommand,
  snapshot: Snapshot,
  findings: Findings,
  context: OperationContext,
): Promise<FsckResult> {
  await checkFiles(snapshot, findings, { deep: command.deep === true }, context)
  const orphans = await countOrphans(snapshot, context)
  const found = resultOf(findings, snapshot.version, orphans)
  const { missing, refreshed } = findings
  if (command.repair !== true || missing.length + refreshed.length === 0) return found
  command.onPlan?.(found)
  const change = beginChange(snapshot, context, { operation: 'FSCK', operationParameters: {} })
    .readsTable()
    .removeFiles(missing)
    .refreshFiles(refreshed)
    .setMetrics({ numRemovedFiles: missing.length, numRefreshedFiles: refreshed.length })
  return { ...found, repairedVersion: await commitChange(change, context) }
}

function resultOf(
  { problems, numProblems, numFiles }: Findings,
  version: number | undefined,
  orphans: { readonly files: number; readonly bytes: number },
): FsckResult {
  return {
    version: version ?? null,
    numFiles,
    problems,
    numProblems,
    numOrphans: orphans.files,
    sizeOfOrphans: orphans.bytes,
    repairedVersion: null,
  }
}
