/**
 * Which bytes of a Parquet file a reader of some columns and row groups can touch.
 *
 * Turned round, for safety: only the pages of chunks that are proven not to be read are left out. What lies between and
 * behind the chunks (Bloom filters, page indexes, padding) is always in.
 */
import { cutRowGroups } from './footer-cut.ts'
import type { ParquetReader } from './reader.ts'
import { leavesOf, type SchemaNode } from './schema-tree.ts'

export interface ByteRange {
  /** included */
  readonly start: number
  /** left out */
  readonly end: number
}

export interface PartialFile {
  /** bytes of the file, ascending, apart from each other */
  readonly ranges: readonly ByteRange[]
  /** what stands in place of the file's own bytes: its first ones, and the footer without the row groups left out */
  readonly given: readonly { readonly at: number; readonly bytes: Uint8Array }[]
  /** bytes of the file that ends behind that footer */
  readonly size: number
}

export interface PartialFileNeed {
  /** of each top-level column */
  readonly column: (node: SchemaNode) => boolean
  /** of each row group by its place; those that are not wanted are absent from the result's footer */
  readonly rowGroup: (index: number) => boolean
}

/** Some writers give a chunk's length without the header of its dictionary page: this much behind it is wanted too. */
const SLACK_BYTES = 256
const MAGIC = [0x50, 0x41, 0x52, 0x31]

/** @returns undefined where chunks lie as no writer puts them */
export function partialFile(reader: ParquetReader, need: PartialFileNeed): PartialFile | undefined {
  const { footer, footerBytes, file } = reader
  const footerStart = file.size - 8 - footerBytes.length
  const wantedLeaves = new Set(
    footer.root.children
      .filter(need.column)
      .flatMap(leavesOf)
      .map((leaf) => leaf.firstLeaf),
  )
  const kept = footer.rowGroups.flatMap((_, index) => (need.rowGroup(index) ? [index] : []))
  const wanted: ByteRange[] = []
  const unwanted: ByteRange[] = []
  for (const [index, group] of footer.rowGroups.entries()) {
    for (const [leaf, { start, length }] of group.chunks.entries()) {
      if (start < MAGIC.length || start + length > footerStart) return undefined
      if (wantedLeaves.has(leaf) && kept.includes(index)) {
        wanted.push({ start, end: Math.min(start + length + SLACK_BYTES, footerStart) })
      } else {
        unwanted.push({ start, end: start + length })
      }
    }
  }
  const ranges = merged([...complement(unwanted, footerStart), ...wanted])
  const cut = kept.length === footer.rowGroups.length ? footerBytes : cutRowGroups(footerBytes, kept)
  const end = withTrailer(cut)
  const given = [
    { at: 0, bytes: Uint8Array.from(MAGIC) },
    { at: footerStart, bytes: end },
  ]
  return { ranges, given, size: footerStart + end.length }
}

/** What lies between the first bytes and `size` and in no hole. */
function complement(holes: readonly ByteRange[], size: number): ByteRange[] {
  const ranges: ByteRange[] = []
  let at = MAGIC.length
  for (const { start, end } of [...holes].sort((a, b) => a.start - b.start)) {
    if (start > at) ranges.push({ start: at, end: start })
    at = Math.max(at, end)
  }
  if (at < size) ranges.push({ start: at, end: size })
  return ranges
}

function merged(ranges: readonly ByteRange[]): ByteRange[] {
  const result: { start: number; end: number }[] = []
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else result.push({ start, end })
  }
  return result
}

function withTrailer(footer: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(footer.length + 8)
  bytes.set(footer)
  new DataView(bytes.buffer).setUint32(footer.length, footer.length, true)
  bytes.set(MAGIC, footer.length + 4)
  return bytes
}
