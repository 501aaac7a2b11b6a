/** Finds the bytes of a deletion vector, checks them, and decodes them. */
import { causeText, type DeltaError, deltaError, isDeltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { crc32, encodeHex, encodeUtf8, md5Hex } from '../../support/index.ts'
import type { DeletionVectorDescriptor } from '../actions/actions.ts'
import { encodePath, openDataFile } from '../paths/index.ts'
import { decodePositions } from './roaring.ts'
import { decodeZ85, encodeZ85 } from './z85.ts'

export interface DeletionVectorOptions {
  /** rows the data file holds; positions beyond it are an error */
  readonly numRecords?: number
  readonly signal?: AbortSignal
}

const UUID_TEXT_LENGTH = 20
const FORMAT_VERSION = 1
/** where the first vector of a file begins: behind the version byte */
const FIRST_OFFSET = 1
const MAX_SIZE = 2 ** 31

/**
 * Row positions a deletion vector removes.
 *
 * @returns 0-based physical positions in the data file, ascending, each once
 * @throws DeltaError `DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH`, `DELTA_DELETION_VECTOR_SIZE_MISMATCH`,
 * `DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH`, `DELTA_DELETION_VECTOR_INVALID_ROW_INDEX`,
 * `FAILED_READ_FILE.FILE_NOT_EXIST` when its file is missing, `FAILED_READ_FILE.NO_HINT` when the store does not reach it
 */
export async function loadDeletionVector(
  store: ObjectStore,
  descriptor: DeletionVectorDescriptor,
  options: DeletionVectorOptions = {},
): Promise<BigUint64Array<ArrayBuffer>> {
  const { cardinality } = descriptor
  if (descriptor.storageType === 'i') {
    const expected = { vector: 'inline in the log', cardinality, numRecords: options.numRecords }
    return decodePositions(inlinePayload(descriptor, expected.vector), expected)
  }
  const place = deletionVectorFile(store, descriptor)
  const expected = { vector: vectorName(place.key, descriptor), cardinality, numRecords: options.numRecords }
  return decodePositions(await storedPayload(place.store, place.key, descriptor, options.signal), expected)
}

function deletionVectorFile(store: ObjectStore, descriptor: DeletionVectorDescriptor) {
  const { storageType, pathOrInlineDv } = descriptor
  if (storageType === 'p') return openDataFile(store, pathOrInlineDv)
  return { store, key: deletionVectorKey(pathOrInlineDv) }
}

/**
 * The path of the file that holds a vector, as a log names files.
 *
 * @returns undefined for a vector that is in the log itself
 * @throws DeltaError `DELTA_DELETION_VECTOR_SIZE_MISMATCH` where its name is no uuid
 */
export function deletionVectorPath({ storageType, pathOrInlineDv }: DeletionVectorDescriptor): string | undefined {
  if (storageType === 'i') return undefined
  return storageType === 'p' ? pathOrInlineDv : encodePath(deletionVectorKey(pathOrInlineDv))
}

/**
 * The key of the file of a vector that is stored by its uuid, below the table's root.
 *
 * @param text a prefix folder, or nothing, and 20 characters of base 85
 * @throws DeltaError `DELTA_DELETION_VECTOR_SIZE_MISMATCH` where the name is no uuid
 */
export function deletionVectorKey(text: string): string {
  const uuid = decodeZ85(text.slice(-UUID_TEXT_LENGTH))
  if (uuid?.length !== 16) throw sizeMismatch(text, 'its name is not a uuid')
  const prefix = text.slice(0, -UUID_TEXT_LENGTH)
  const name = `deletion_vector_${formatUuid(uuid)}.bin`
  return prefix === '' ? name : `${prefix}/${name}`
}

/**
 * A vector whose file is copied to the table's root: the descriptor that names it there, and its key.
 *
 * The name's own uuid stays; a name without one gets the same new one each time.
 */
export function vectorAtRoot(vector: DeletionVectorDescriptor): {
  readonly descriptor: DeletionVectorDescriptor
  readonly key: string
} {
  const hex = UUID_NAME.exec(vector.pathOrInlineDv)?.slice(1).join('') ?? md5Hex(encodeUtf8(vector.pathOrInlineDv))
  const uuid = Uint8Array.from(hex.match(/../g)!, (byte) => Number.parseInt(byte, 16))
  const pathOrInlineDv = encodeZ85(uuid)
  return { descriptor: { ...vector, storageType: 'u', pathOrInlineDv }, key: deletionVectorKey(pathOrInlineDv) }
}

const UUID_NAME =
  /deletion_vector_([0-9a-fA-F]{8})-([0-9a-fA-F]{4})-([0-9a-fA-F]{4})-([0-9a-fA-F]{4})-([0-9a-fA-F]{12})\.bin$/

function formatUuid(bytes: Uint8Array): string {
  return encodeHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function vectorName(key: string, descriptor: DeletionVectorDescriptor): string {
  return `${key}@${descriptor.offset ?? FIRST_OFFSET}`
}

function inlinePayload(descriptor: DeletionVectorDescriptor, vector: string): Uint8Array {
  const bytes = decodeZ85(descriptor.pathOrInlineDv)
  if (bytes === undefined) throw sizeMismatch(vector, 'its text is not base 85')
  const padding = bytes.length - descriptor.sizeInBytes
  if (padding < 0 || padding > 3) {
    throw sizeMismatch(vector, `it has ${bytes.length} bytes, the log says ${descriptor.sizeInBytes}`)
  }
  return bytes.subarray(0, descriptor.sizeInBytes)
}

async function storedPayload(
  store: ObjectStore,
  key: string,
  descriptor: DeletionVectorDescriptor,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const { offset = FIRST_OFFSET, sizeInBytes: size } = descriptor
  const vector = vectorName(key, descriptor)
  if (offset < 0 || size < 0 || size > MAX_SIZE) throw sizeMismatch(vector, `the log says ${size} bytes at ${offset}`)
  const start = offset === FIRST_OFFSET ? 0 : offset
  const bytes = await readRange(store, key, { start, end: offset + size + 8 }, signal)
  if (start < offset && bytes[0] !== FORMAT_VERSION) throw sizeMismatch(vector, `its file has the version ${bytes[0]}`)
  return checkedPayload(bytes.subarray(offset - start), size, vector)
}

/** @param bytes size, payload and checksum */
function checkedPayload(bytes: Uint8Array, size: number, vector: string): Uint8Array {
  if (bytes.length < size + 8) throw sizeMismatch(vector, `its file ends after ${bytes.length} of ${size + 8} bytes`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const stored = view.getInt32(0)
  if (stored !== size) throw sizeMismatch(vector, `its file says ${stored} bytes, the log ${size}`)
  const payload = bytes.subarray(4, 4 + size)
  const expected = view.getUint32(4 + size)
  const actual = crc32(payload)
  if (actual !== expected) throw deltaError('DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH', { vector, actual, expected })
  return payload
}

async function readRange(
  store: ObjectStore,
  key: string,
  range: { start: number; end: number },
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  try {
    return await store.getRange(key, range, { ...(signal && { signal }) })
  } catch (cause) {
    if (!isDeltaError(cause, 'LAKE_OBJECT_NOT_FOUND')) throw cause
    throw deltaError('FAILED_READ_FILE.FILE_NOT_EXIST', { file: key, cause: causeText(cause) }, { cause })
  }
}

function sizeMismatch(vector: string, reason: string): DeltaError {
  return deltaError('DELTA_DELETION_VECTOR_SIZE_MISMATCH', { vector, reason })
}
