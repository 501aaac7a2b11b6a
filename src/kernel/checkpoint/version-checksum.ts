/**
 * The version checksum: what a table at a version comes to, so that a reader can check its replay and get the small
 * actions without a checkpoint. Source: Delta protocol, "Version Checksum File".
 */
import { encodeUtf8 } from '../../support/index.ts'
import type { Action } from '../actions/actions.ts'
import { printAction } from '../actions/print.ts'
import { supportsFeature } from '../features/index.ts'
import { checksumKey } from '../paths/index.ts'
import { property } from '../properties/index.ts'
import { type FileSummary, SIZE_BINS } from '../snapshot/file-tally.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'

/** Writes `N.crc` beside the snapshot's commit; one that is there is never replaced. */
export async function writeChecksum(snapshot: Snapshot): Promise<void> {
  await snapshot.store.putIfAbsent(checksumKey(snapshot.version), encodeUtf8(await checksumText(snapshot)))
}

async function checksumText(snapshot: Snapshot): Promise<string> {
  const { timestampMs, configuration } = snapshot
  const summary = await snapshot.files.summary?.()
  const files = summary ?? (await snapshot.files.totals())
  const lists = {
    setTransactions: Array.from(snapshot.transactions.values(), (txn) => bodyOf({ txn })),
    domainMetadata: Array.from(snapshot.domains.values(), (domainMetadata) => bodyOf({ domainMetadata })),
  }
  const members = [
    `"tableSizeBytes":${files.sizeInBytes}`,
    `"numFiles":${files.numFiles}`,
    '"numMetadata":1',
    '"numProtocol":1',
    ...(property(configuration, 'enableInCommitTimestamps') ? [`"inCommitTimestampOpt":${timestampMs}`] : []),
    ...Object.entries(lists).map(([name, items]) => `"${name}":[${items.join(',')}]`),
    ...(summary === undefined ? [] : summaryMembers(snapshot, summary)),
    `"metadata":${bodyOf({ metaData: snapshot.metadata })}`,
    `"protocol":${bodyOf({ protocol: snapshot.protocol })}`,
  ]
  return `{${members.join(',')}}`
}

/** What only a full count of the files tells. */
function summaryMembers({ protocol }: Snapshot, summary: FileSummary): string[] {
  const { sizes, numDeletedRecords, numDeletionVectors, deletedRecordCounts, files } = summary
  const histogram = { sortedBinBoundaries: SIZE_BINS, ...sizes }
  const deletions = [
    `"numDeletedRecordsOpt":${numDeletedRecords}`,
    `"numDeletionVectorsOpt":${numDeletionVectors}`,
    `"deletedRecordCountsHistogramOpt":${JSON.stringify({ deletedRecordCounts })}`,
  ]
  const bodies = files?.map((file) => bodyOf({ add: { ...file, dataChange: false } }))
  return [
    ...(supportsFeature(protocol, 'deletionVectors') ? deletions : []),
    `"fileSizeHistogram":${JSON.stringify(histogram)}`,
    ...(bodies === undefined ? [] : [`"allFiles":[${bodies.join(',')}]`]),
  ]
}

/** The JSON text of an action without its wrapper `{"kind":…}`. */
function bodyOf(action: Action): string {
  const text = printAction(action)
  return text.slice(text.indexOf(':') + 1, -1)
}
