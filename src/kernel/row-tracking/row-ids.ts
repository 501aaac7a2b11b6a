/**
 * Ids of rows: which ones a table has given out, and fresh ones for the files of a commit.
 *
 * The rows of a file are counted on from its `baseRowId`; the highest id given out lies in the domain
 * `delta.rowTracking`. A commit that lost its version takes its ids anew behind the winner. Source: Delta protocol, "Row
 * Tracking".
 */
import { deltaError } from '../../errors/index.ts'
import { parseJson } from '../../support/index.ts'
import type { AddFile, DomainMetadata, Metadata, Protocol } from '../actions/actions.ts'
import { FieldReader } from '../actions/read-fields.ts'
import { supportsFeature } from '../features/index.ts'
import { property } from '../properties/index.ts'
import { numRecordsOf } from '../statistics/num-records.ts'

export const ROW_TRACKING_DOMAIN = 'delta.rowTracking'

const INT64_MAX = 2n ** 63n - 1n

/** The mark of a table that has given out no id. */
export const NO_ROW_ID = -1n

/**
 * The highest row id a table has given out.
 *
 * @throws DeltaError `LAKE_ACTION_MALFORMED` for a domain that holds no mark
 */
export function rowIdHighWaterMark(domain: DomainMetadata | undefined): bigint {
  if (domain === undefined || domain.removed) return NO_ROW_ID
  return new FieldReader(ROW_TRACKING_DOMAIN, parseJson(domain.configuration)).requiredBigint('rowIdHighWaterMark')
}

/** Whether commits give ids to the rows they add. */
export function assignsRowIds(protocol: Protocol, { configuration }: Metadata): boolean {
  return supportsFeature(protocol, 'rowTracking') && !property(configuration, 'rowTrackingSuspended')
}

export interface RowIdGround {
  readonly highWaterMark: bigint
  /** the version the files are committed at */
  readonly version: number
}

export interface AssignedRowIds {
  readonly adds: readonly AddFile[]
  readonly highWaterMark: bigint
}

/**
 * Gives ids to the files that have none; files that are added again keep theirs.
 *
 * @throws DeltaError `DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS` for a file whose number of rows is not known,
 * `LAKE_ROW_IDS_EXHAUSTED`
 */
export function assignRowIds(adds: readonly AddFile[], { highWaterMark, version }: RowIdGround): AssignedRowIds {
  let mark = highWaterMark
  const defaultRowCommitVersion = BigInt(version)
  const assigned = adds.map((add): AddFile => {
    if (add.baseRowId !== undefined)
      return { ...add, defaultRowCommitVersion: add.defaultRowCommitVersion ?? defaultRowCommitVersion }
    const numRecords = numRecordsOf(add.stats)
    if (numRecords === undefined) throw deltaError('DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS', { file: add.path })
    const baseRowId = mark + 1n
    mark += numRecords
    if (mark > INT64_MAX) throw deltaError('LAKE_ROW_IDS_EXHAUSTED', { file: add.path, mark: String(highWaterMark) })
    return { ...add, baseRowId, defaultRowCommitVersion }
  })
  return { adds: assigned, highWaterMark: mark }
}

/** The domain that holds a mark, in the form the reference writes. */
export function rowTrackingDomain(highWaterMark: bigint): DomainMetadata {
  const configuration = `{"rowIdHighWaterMark":${highWaterMark},"domainName":"${ROW_TRACKING_DOMAIN}"}`
  return { domain: ROW_TRACKING_DOMAIN, configuration, removed: false }
}
