/**
 * A column chunk decoded: its levels whole, its values converted, nulls left out.
 *
 * Levels of all pages are joined before rows are put together, so that it does not matter where a page ends inside a row.
 */
import { parquetHeader } from 'hyparquet/src/column.js'
import { assert } from '../errors/index.ts'
import type { Value } from '../schema/index.ts'
import { crc32 } from '../support/index.ts'
import type { Decompress } from './codecs.ts'
import { type ColumnChunk, viewOf } from './footer.ts'
import { bitWidth, type Cursor, readHybrid } from './levels.ts'
import { type PhysicalValue, type PhysicalValues, readValues, UnknownEncoding } from './plain.ts'

/** The entries of a leaf in one row group. */
export interface LeafColumn {
  readonly numEntries: number
  /** how deep each entry is defined; absent: all to the full */
  readonly definitions: Uint8Array | undefined
  /** which list each entry continues; absent: each begins a row */
  readonly repetitions: Uint8Array | undefined
  /** one an entry that is defined to the full */
  readonly values: readonly Value[]
}

export type Convert = (value: PhysicalValue) => Value

/** No page of a real file has more; a damaged one must not make this reader allocate without end. */
const MAX_PAGE_VALUES = 2 ** 27

/**
 * @param bytes of the whole chunk
 * @param convert applied once a value, or once a dictionary entry
 * @throws RangeError when the bytes are not the pages the chunk says
 */
export function decodeChunk(bytes: Uint8Array, chunk: ColumnChunk, codec: Decompress, convert: Convert): LeafColumn {
  return new ChunkDecoder(bytes, chunk, codec, convert).decode()
}

type PageHeader = ReturnType<typeof parquetHeader>

class ChunkDecoder {
  private readonly bytes: Uint8Array
  private readonly chunk: ColumnChunk
  private readonly decompress: Decompress
  private readonly convert: Convert
  private readonly definitions: Uint8Array[] = []
  private readonly repetitions: Uint8Array[] = []
  private readonly values: Value[] = []
  private dictionary: readonly Value[] | undefined
  private numEntries = 0

  constructor(bytes: Uint8Array, chunk: ColumnChunk, decompress: Decompress, convert: Convert) {
    this.bytes = bytes
    this.chunk = chunk
    this.decompress = decompress
    this.convert = convert
  }

  decode(): LeafColumn {
    const reader = { view: viewOf(this.bytes), offset: 0 }
    while (this.numEntries < this.chunk.numValues) {
      if (reader.offset >= this.bytes.length) throw new RangeError('a column chunk ends before its values do')
      const header = parquetHeader(reader)
      const size = header.compressed_page_size
      if (!(size >= 0 && reader.offset + size <= this.bytes.length))
        throw new RangeError('a page reaches past its chunk')
      const page = this.bytes.subarray(reader.offset, reader.offset + size)
      // of the bytes as they are stored, behind the header; many writers leave it out
      if (header.crc !== undefined && header.crc >>> 0 !== crc32(page)) {
        throw new RangeError('a page does not have the checksum that its header says')
      }
      this.readPage(header, page)
      reader.offset += size
    }
    if (this.numEntries !== this.chunk.numValues) throw new RangeError('a column chunk holds more values than it says')
    const { leaf } = this.chunk
    return {
      numEntries: this.numEntries,
      definitions: leaf.definition > 0 ? joinLevels(this.definitions, this.numEntries) : undefined,
      repetitions: leaf.repeats > 0 ? joinLevels(this.repetitions, this.numEntries) : undefined,
      values: this.values,
    }
  }

  private readPage(header: PageHeader, bytes: Uint8Array): void {
    if (header.type === 'DATA_PAGE') this.readDataPage(header, bytes)
    else if (header.type === 'DATA_PAGE_V2') this.readDataPageV2(header, bytes)
    else if (header.type === 'DICTIONARY_PAGE') this.readDictionary(header, bytes)
    else if (header.type !== 'INDEX_PAGE') throw new RangeError('a page is of no known kind')
  }

  private readDictionary(header: PageHeader, bytes: Uint8Array): void {
    const { dictionary_page_header: dictionary } = header
    if (dictionary === undefined) throw new RangeError('a dictionary page has no header')
    const page = { bytes: this.inflate(bytes, header.uncompressed_page_size), at: 0 }
    const values = readValues('PLAIN', page, checkedCount(dictionary.num_values), this.chunk.leaf)
    this.dictionary = this.convertAll(values)
  }

  private readDataPage(header: PageHeader, bytes: Uint8Array): void {
    const { data_page_header: data } = header
    if (data === undefined) throw new RangeError('a data page has no header')
    const { leaf } = this.chunk
    const count = checkedCount(data.num_values)
    const page: Cursor = { bytes: this.inflate(bytes, header.uncompressed_page_size), at: 0 }
    const prefixed = (max: number, encoding: string) => {
      if (max > 0 && encoding !== 'RLE') throw new UnknownEncoding(`${encoding} levels`)
      const length = max > 0 ? viewOf(page.bytes).getUint32(page.at, true) : 0
      if (max > 0) page.at += 4
      return readLevels(page, page.at + length, max, count)
    }
    const repetitions = prefixed(leaf.repeats, data.repetition_level_encoding)
    const definitions = prefixed(leaf.definition, data.definition_level_encoding)
    this.take(count, repetitions, definitions, data.encoding, page)
  }

  private readDataPageV2(header: PageHeader, bytes: Uint8Array): void {
    const { data_page_header_v2: data } = header
    if (data === undefined) throw new RangeError('a data page has no header')
    const { leaf } = this.chunk
    const count = checkedCount(data.num_values)
    const levels: Cursor = { bytes, at: 0 }
    const repetitionsEnd = data.repetition_levels_byte_length
    const valuesStart = repetitionsEnd + data.definition_levels_byte_length
    if (!(repetitionsEnd >= 0 && valuesStart >= repetitionsEnd && valuesStart <= bytes.length)) {
      throw new RangeError('a page ends inside its levels')
    }
    const repetitions = readLevels(levels, repetitionsEnd, leaf.repeats, count)
    const definitions = readLevels(levels, valuesStart, leaf.definition, count)
    const stored = bytes.subarray(valuesStart)
    const size = header.uncompressed_page_size - valuesStart
    // a page of nulls alone may have no compressed bytes at all
    const values = data.is_compressed === false || size === 0 ? stored : this.inflate(stored, size)
    this.take(count, repetitions, definitions, data.encoding, { bytes: values, at: 0 })
  }

  private take(
    count: number,
    repetitions: Uint8Array | undefined,
    definitions: Uint8Array | undefined,
    encoding: string,
    page: Cursor,
  ): void {
    const defined = definitions === undefined ? count : countEqual(definitions, this.chunk.leaf.definition)
    if (definitions !== undefined) this.definitions.push(definitions)
    if (repetitions !== undefined) this.repetitions.push(repetitions)
    this.numEntries += count
    if (encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY') this.takeIndexes(page, defined)
    else
      for (const value of this.convertAll(readValues(encoding, page, defined, this.chunk.leaf))) this.values.push(value)
  }

  private takeIndexes(page: Cursor, count: number): void {
    if (count === 0) return
    const { dictionary } = this
    if (dictionary === undefined) throw new RangeError('a page refers to a dictionary that is not there')
    const width = page.bytes[page.at++]
    if (width === undefined) throw new RangeError('a page ends before its values')
    const indexes = new Int32Array(count)
    // width 0: every value is the first of the dictionary, and some writers leave out the runs
    if (width > 0) readHybrid(page, page.bytes.length, width, indexes)
    for (const index of indexes) {
      const value = dictionary[index]
      if (value === undefined) throw new RangeError('a page refers to a value its dictionary does not have')
      this.values.push(value)
    }
  }

  private convertAll(values: PhysicalValues): Value[] {
    const { convert } = this
    const result: Value[] = new Array(values.length)
    for (let i = 0; i < values.length; i++) result[i] = convert(values[i]!)
    return result
  }

  private inflate(bytes: Uint8Array, size: number): Uint8Array {
    if (!(size >= 0 && size < 2 ** 31)) throw new RangeError('a page has a size that cannot be')
    const page = this.decompress(bytes, size)
    if (page.length !== size) throw new RangeError(`a page has ${page.length} bytes where its header says ${size}`)
    return page
  }
}

function readLevels(cursor: Cursor, end: number, max: number, count: number): Uint8Array | undefined {
  if (max === 0) {
    cursor.at = end
    return undefined
  }
  const levels = new Uint8Array(count)
  readHybrid(cursor, end, bitWidth(max), levels)
  if (levels.some((level) => level > max)) throw new RangeError('a level of a page is deeper than its column')
  return levels
}

function checkedCount(count: number): number {
  if (!(Number.isInteger(count) && count >= 0 && count <= MAX_PAGE_VALUES)) {
    throw new RangeError('a page has a number of values that cannot be')
  }
  return count
}

function countEqual(levels: Uint8Array, level: number): number {
  let count = 0
  for (const candidate of levels) if (candidate === level) count++
  return count
}

function joinLevels(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0]!
  const result = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    result.set(part, at)
    at += part.length
  }
  assert(at === length, 'every page adds its levels')
  return result
}
