/**
 * Makes an existing table one whose rows can be tracked: every row gets an id before the property is set.
 *
 * The steps and their names are the reference's: a protocol that lists the feature, so that files added from then on have
 * ids, then commits that list the older files anew with theirs. Source: Delta protocol, "Row Tracking".
 */
import { type AddFile, type Protocol, planMetadataChange, type Snapshot, supportsFeature } from '../kernel/index.ts'
import { beginChange, commitChange } from './commit.ts'
import type { OperationContext } from './context.ts'

/** Files listed anew by one commit. */
const BATCH_FILES = 100_000

/**
 * Gives an id to every row of a table; whoever called it then sets `delta.enableRowTracking`.
 *
 * Does nothing where all files have ids. Files that others add meanwhile get theirs from them.
 *
 * @throws DeltaError `DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS`, conflict codes, a `LAKE_STORAGE_…` code
 */
export async function prepareRowTracking(context: OperationContext): Promise<void> {
  await context.withSnapshot(undefined, (snapshot) => listFeature(snapshot, context))
  for (let batchId = 0; ; batchId++) {
    const isDone = await context.withSnapshot(undefined, (snapshot) => backfill(snapshot, batchId, context))
    if (isDone) return
  }
}

async function listFeature(snapshot: Snapshot, context: OperationContext): Promise<void> {
  if (supportsFeature(snapshot.protocol, 'rowTracking')) return
  const set = new Map([['delta.feature.rowTracking', 'supported']])
  const protocol = planMetadataChange(snapshot, { set }, context.location).protocol!
  const operationParameters = { newProtocol: protocolText(protocol) }
  const change = beginChange(snapshot, context, { operation: 'UPGRADE PROTOCOL', operationParameters })
  await commitChange(change.setProtocol(protocol), context)
}

function protocolText({ minReaderVersion, minWriterVersion, readerFeatures, writerFeatures }: Protocol): string {
  const lists = { readerFeatures: readerFeatures ?? null, writerFeatures: writerFeatures ?? null }
  return JSON.stringify({ minReaderVersion, minWriterVersion, ...lists })
}

/** @returns whether no file is left without ids */
async function backfill(snapshot: Snapshot, batchId: number, context: OperationContext): Promise<boolean> {
  const files = await filesWithoutIds(snapshot)
  if (files.length === 0) return true
  const operationParameters = { batchId: String(batchId) }
  const change = beginChange(snapshot, context, { operation: 'ROW TRACKING BACKFILL', operationParameters })
  await commitChange(change.refreshFiles(files), context)
  return false
}

async function filesWithoutIds(snapshot: Snapshot): Promise<readonly AddFile[]> {
  const files: AddFile[] = []
  for await (const page of snapshot.files.select()) {
    for (const file of page) if (file.baseRowId === undefined) files.push(file)
    if (files.length >= BATCH_FILES) break
  }
  return files.slice(0, BATCH_FILES)
}
