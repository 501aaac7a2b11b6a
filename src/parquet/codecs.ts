/** Decompression. Snappy is at hand; the rest is loaded when a file first needs it. */
import { snappyUncompress } from 'hyparquet/src/snappy.js'
import type { Codec } from './footer.ts'

export type Decompress = (input: Uint8Array, outputLength: number) => Uint8Array

const simple: Partial<Record<Codec, Decompress>> = {
  UNCOMPRESSED: (input) => input,
  SNAPPY: (input, outputLength) => {
    const output = new Uint8Array(outputLength)
    snappyUncompress(input, output)
    return output
  },
}

/** @returns undefined for a codec that is not read (LZO) */
export async function loadDecompressor(codec: Codec): Promise<Decompress | undefined> {
  const known = simple[codec]
  if (known !== undefined || codec === 'LZO') return known
  const { compressors } = await import('hyparquet-compressors')
  return compressors[codec]
}
