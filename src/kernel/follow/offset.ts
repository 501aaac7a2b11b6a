/** How far somebody has read who follows a table. */
import { deltaError } from '../../errors/index.ts'
import { isJsonObject, type JsonValue, parseJson } from '../../support/index.ts'

/** The next file to read; everything before it was given. Plain JSON, to be kept between runs. */
export interface FollowOffset {
  /** `metaData.id` of the table */
  readonly tableId: string
  readonly version: number
  /** number of the version's files that were given already */
  readonly index: number
  /** true: the files of the whole table at the version, false: those the version added */
  readonly initialSnapshot: boolean
}

/**
 * The offset in an object or its JSON text; members it does not know are passed over.
 *
 * @throws DeltaError `DELTA_INVALID_SOURCE_OFFSET_FORMAT`
 */
export function parseOffset(input: string | FollowOffset): FollowOffset {
  const value = typeof input === 'string' ? parseText(input) : (input as unknown as JsonValue)
  if (!isJsonObject(value)) throw malformed(input)
  const { tableId, version, index, initialSnapshot } = value
  const isOffset =
    typeof tableId === 'string' && isCount(version) && isCount(index) && typeof initialSnapshot === 'boolean'
  if (!isOffset) throw malformed(input)
  return { tableId, version, index, initialSnapshot }
}

function parseText(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function malformed(input: string | FollowOffset): Error {
  const offset = typeof input === 'string' ? input : JSON.stringify(input)
  return deltaError('DELTA_INVALID_SOURCE_OFFSET_FORMAT', { offset: offset.slice(0, 200) })
}
