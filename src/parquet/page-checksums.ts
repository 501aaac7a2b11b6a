/**
 * Whether the pages of a file have the checksums their writer stored. Source: Parquet format, "Checksumming".
 *
 * For readers that do not look at them. A writer stores checksums with every page or with none, so of a file without them
 * only the first page is read.
 */
import { parquetHeader } from 'hyparquet/src/column.js'
import { crc32 } from '../support/index.ts'
import { type ParquetFile, readExactly, reading } from './file.ts'
import { type ColumnChunk, loadFooter, viewOf } from './footer.ts'

/** What is read at once where pages are small. */
const WINDOW_BYTES = 1024 * 1024

/**
 * @param checksum a faster CRC-32 than that of this package, where there is one
 * @returns whether the file has checksums
 * @throws DeltaError `FAILED_READ_FILE.NO_HINT` where a page does not have its checksum, or the file is no Parquet file
 */
export function checkPages(file: ParquetFile, checksum: (bytes: Uint8Array) => number = crc32): Promise<boolean> {
  return reading(file, async () => {
    const { footer } = await loadFooter(file)
    for (const { chunks } of footer.rowGroups) {
      for (const chunk of chunks) if (!(await checkChunk(file, chunk, checksum))) return false
    }
    return true
  })
}

/** @returns false at a page without a checksum */
async function checkChunk(
  file: ParquetFile,
  { start, length }: ColumnChunk,
  checksum: (bytes: Uint8Array) => number,
): Promise<boolean> {
  const end = start + length
  let window: { readonly start: number; readonly bytes: Uint8Array } = { start, bytes: new Uint8Array() }
  for (let at = start; at < end; ) {
    let offset = at - window.start
    if (window.bytes.length - offset < WINDOW_BYTES && window.start + window.bytes.length < end) {
      window = { start: at, bytes: await readExactly(file, at, Math.min(end, at + 2 * WINDOW_BYTES)) }
      offset = 0
    }
    const reader = { view: viewOf(window.bytes), offset }
    const { crc, compressed_page_size: size } = parquetHeader(reader)
    if (crc === undefined) return false
    const first = window.start + reader.offset
    if (!(size >= 0 && first + size <= end)) throw new RangeError('a page reaches past its chunk')
    const inside = reader.offset + size <= window.bytes.length
    const page = inside
      ? window.bytes.subarray(reader.offset, reader.offset + size)
      : await readExactly(file, first, first + size)
    if (crc >>> 0 !== checksum(page)) throw new RangeError('a page does not have the checksum that its header says')
    at = first + size
    if (!inside) window = { start: at, bytes: new Uint8Array() }
  }
  return true
}
