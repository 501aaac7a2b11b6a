/**
 * Deletion vectors of one change, in one file beside the data.
 *
 * The file has a version byte and then, for each vector, its size, its payload and a checksum. Source: Delta protocol,
 * "Deletion Vector File Storage Format".
 */
import { assert } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { crc32 } from '../../support/index.ts'
import type { DeletionVectorDescriptor } from '../actions/actions.ts'
import { encodePositions } from './encode.ts'
import { deletionVectorKey } from './load.ts'
import type { RowSet } from './row-set.ts'
import { encodeZ85 } from './z85.ts'

const FORMAT_VERSION = 1
/** offsets are 32-bit and signed */
const MAX_FILE_BYTES = 2 ** 31 - 1

export interface DeletionVectorWriteOptions {
  /** folder below the table's root, without a slash; the root itself when absent */
  readonly prefix?: string
  readonly signal?: AbortSignal
}

export interface WrittenDeletionVectors {
  /** of the file, below the table's root */
  readonly key: string
  /** in the order of the row sets */
  readonly descriptors: readonly DeletionVectorDescriptor[]
}

/**
 * Puts the vectors into the store under a fresh name; they are in no commit yet.
 *
 * @param sets at least one, none empty
 * @throws DeltaError a `LAKE_STORAGE_…` code, `LAKE_CANCELLED`
 */
export async function writeDeletionVectors(
  store: ObjectStore,
  sets: readonly RowSet[],
  { prefix = '', signal }: DeletionVectorWriteOptions = {},
): Promise<WrittenDeletionVectors> {
  assert(sets.length > 0 && sets.every(({ size }) => size > 0), 'a deletion vector that is written deletes rows')
  const pathOrInlineDv = prefix + encodeZ85(randomUuid())
  const { bytes, places } = deletionVectorFile(sets.map(encodePositions))
  const key = deletionVectorKey(pathOrInlineDv)
  await store.put(key, bytes, signal === undefined ? {} : { signal })
  const descriptors = places.map(
    (place, i): DeletionVectorDescriptor => ({
      storageType: 'u',
      pathOrInlineDv,
      ...place,
      cardinality: sets[i]!.size,
    }),
  )
  return { key, descriptors }
}

interface VectorPlace {
  readonly offset: number
  readonly sizeInBytes: number
}

function deletionVectorFile(payloads: readonly Uint8Array[]): { bytes: Uint8Array; places: readonly VectorPlace[] } {
  const size = payloads.reduce((sum, payload) => sum + payload.length + 8, 1)
  assert(size <= MAX_FILE_BYTES, 'the deletion vectors of one change fit into one file')
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, FORMAT_VERSION)
  let offset = 1
  const places = payloads.map((payload): VectorPlace => {
    const place = { offset, sizeInBytes: payload.length }
    view.setInt32(offset, payload.length)
    bytes.set(payload, offset + 4)
    view.setUint32(offset + 4 + payload.length, crc32(payload))
    offset += payload.length + 8
    return place
  })
  return { bytes, places }
}

function randomUuid(): Uint8Array {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes
}
