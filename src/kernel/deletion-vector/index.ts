/** Deletion vectors: the rows of a file that are gone. Source: Delta protocol, "Deletion Vectors". */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { DeletionVectorDescriptor } from '../actions/actions.ts'

export interface DeletionVectorOptions {
  /** rows the data file holds; positions beyond it are an error */
  readonly numRecords?: number
  readonly signal?: AbortSignal
}

/**
 * Row positions a deletion vector removes.
 *
 * @returns 0-based physical positions in the data file, ascending, each once
 * @throws DeltaError `DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH`, `DELTA_DELETION_VECTOR_SIZE_MISMATCH`,
 * `DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH`, `DELTA_DELETION_VECTOR_INVALID_ROW_INDEX`,
 * `FAILED_READ_FILE.FILE_NOT_EXIST` when its file is missing
 */
export async function loadDeletionVector(
  _store: ObjectStore,
  descriptor: DeletionVectorDescriptor,
  _options: DeletionVectorOptions = {},
): Promise<BigUint64Array> {
  throw deltaError('LAKE_INTERNAL', { what: `deletion vectors are read (${descriptor.storageType})` })
}
