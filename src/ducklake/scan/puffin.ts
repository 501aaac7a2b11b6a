/**
 * Puffin delete files: which rows of a data file are deleted at a snapshot.
 *
 * Two forms share one vector: a file that is the vector alone, and since format 1.1 a container of several, each with
 * everything deleted up to the snapshot it names. Source: Puffin, "deletion-vector-v1"; DuckLake, "Delete Files".
 */
import { decodePositions } from '../../kernel/index.ts'
import { concatBytes, crc32, decodeUtf8, isJsonObject, type JsonValue, parseJson } from '../../support/index.ts'

/** `PFA1` */
const CONTAINER_MAGIC = 0x31414650
const VECTOR_TYPE = 'deletion-vector-v1'

export interface PuffinRequest {
  /** for messages */
  readonly file: string
  /** what the catalog says of a file that is one vector */
  readonly deleteCount: number
  readonly snapshot: number
}

/**
 * @returns 0-based positions, ascending; none where a container has no vector that old
 * @throws Error saying what is wrong with the bytes, and the codes of `decodePositions`
 */
export function readPuffin(bytes: Uint8Array, request: PuffinRequest): BigUint64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length >= 4 && view.getUint32(0, true) === CONTAINER_MAGIC) return readContainer(bytes, request)
  return readVector(bytes, { vector: request.file, cardinality: request.deleteCount })
}

export function isContainer(bytes: Uint8Array): boolean {
  return decodeUtf8(bytes.subarray(0, 4)) === 'PFA1'
}

function readContainer(bytes: Uint8Array, { file, snapshot }: PuffinRequest): BigUint64Array {
  const vectors = containerVectors(bytes).filter((vector) => vector.snapshot <= snapshot)
  const newest = vectors.reduce<ContainerVector | undefined>(
    (a, b) => (a && a.snapshot >= b.snapshot ? a : b),
    undefined,
  )
  if (newest === undefined) return new BigUint64Array(0)
  const body = bytes.subarray(newest.offset, newest.offset + newest.length)
  return readVector(body, { vector: file, cardinality: newest.cardinality })
}

export interface ContainerVector {
  /** everything deleted up to it */
  readonly snapshot: number
  readonly offset: number
  readonly length: number
  readonly cardinality: number
}

/** The vectors a container names in its footer. */
export function containerVectors(bytes: Uint8Array): ContainerVector[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = bytes.length
  if (end < 16 || view.getUint32(end - 4, true) !== CONTAINER_MAGIC) throw new Error('it ends without a Puffin footer')
  const size = view.getInt32(end - 12, true)
  if (view.getUint32(end - 8, true) !== 0) throw new Error('its Puffin footer is compressed, which is not read')
  const start = end - 12 - size
  if (size < 0 || start < 8) throw new Error('its Puffin footer is longer than the file')
  const footer = parseJson(decodeUtf8(bytes.subarray(start, start + size)))
  const blobs = isJsonObject(footer) && Array.isArray(footer.blobs) ? footer.blobs : []
  return blobs.map((blob) => vectorOf(blob, end)).filter((vector) => vector !== undefined)
}

function vectorOf(blob: JsonValue, end: number): ContainerVector | undefined {
  if (!isJsonObject(blob) || blob.type !== VECTOR_TYPE) return undefined
  const properties = isJsonObject(blob.properties) ? blob.properties : {}
  const [offset, length] = [Number(String(blob.offset)), Number(String(blob.length))]
  const snapshot =
    properties['ducklake-snapshot-id'] === undefined ? 0 : Number(String(properties['ducklake-snapshot-id']))
  const isWithin = Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 4 && offset + length <= end
  if (!isWithin || !Number.isSafeInteger(snapshot)) throw new Error('its Puffin footer names bytes that are not there')
  return { snapshot, offset, length, cardinality: Number(String(properties.cardinality)) }
}

function readVector(bytes: Uint8Array, expected: { vector: string; cardinality: number }): BigUint64Array {
  const payload = vectorPayload(bytes)
  return decodePositions(payload, { ...expected, numRecords: undefined })
}

/** What lies between the length and the checksum of a vector, both verified. */
export function vectorPayload(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 12) throw new Error('it is too short for a deletion vector')
  const length = view.getUint32(0, false)
  if (length + 8 > bytes.length) throw new Error('its deletion vector ends early')
  const payload = bytes.subarray(4, 4 + length)
  if (crc32(payload) !== view.getUint32(4 + length, false))
    throw new Error('the checksum of its deletion vector is wrong')
  return payload
}

/** A vector as a file of its own: its length, the payload, the checksum. */
export function bareVector(payload: Uint8Array): Uint8Array {
  const frame = new DataView(new ArrayBuffer(8))
  frame.setUint32(0, payload.length, false)
  frame.setUint32(4, crc32(payload), false)
  return concatBytes([new Uint8Array(frame.buffer, 0, 4), payload, new Uint8Array(frame.buffer, 4, 4)])
}
