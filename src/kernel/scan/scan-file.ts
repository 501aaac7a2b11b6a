/** A data file as a scan reads it. */
import type { AddFile, DeletionVectorDescriptor } from '../actions/actions.ts'

/**
 * A file of which the live rows are read; with `hiddenBy` only those among them that this other vector names.
 *
 * That is how the difference of two vectors is read: what a commit deleted lives under the older vector and is named by
 * the newer one, what it brought back lives under the newer one and is named by the older.
 */
export interface ScanFile extends AddFile {
  readonly hiddenBy?: DeletionVectorDescriptor
}
