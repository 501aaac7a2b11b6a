/** Ranges of a file out of a cache of its blocks; what is missing is fetched, neighbouring blocks by one request. */
import type { ByteRange } from '../../../parquet/index.ts'
import { mapParallel } from '../../../support/index.ts'
import { BLOCK_BYTES, type BlockCache, type CachedFile } from './block-cache.ts'

const PARALLEL = 8

/** @param fetchRange of the file itself */
export async function cachedRange(
  cache: BlockCache,
  file: CachedFile,
  range: ByteRange,
  fetchRange: (range: ByteRange) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const first = Math.floor(range.start / BLOCK_BYTES)
  const end = Math.min(range.end, file.size)
  const numbers = Array.from({ length: Math.max(0, Math.ceil(end / BLOCK_BYTES) - first) }, (_, i) => first + i)
  const found = await mapParallel(numbers, PARALLEL, (number) => cache.get(file, number))
  for (const run of missingRuns(found)) {
    const start = (first + run.start) * BLOCK_BYTES
    const stop = Math.min((first + run.end) * BLOCK_BYTES, file.size)
    const bytes = await fetchRange({ start, end: stop })
    // a file shorter than the log says is not what the blocks would be found by
    if (bytes.length !== stop - start) return await fetchRange(range)
    for (let at = run.start; at < run.end; at++) {
      const block = bytes.slice((at - run.start) * BLOCK_BYTES, (at - run.start + 1) * BLOCK_BYTES)
      found[at] = block
      await cache.put(file, first + at, block)
    }
  }
  const result = new Uint8Array(Math.max(0, end - range.start))
  for (const [at, block] of found.entries()) {
    const offset = (first + at) * BLOCK_BYTES - range.start
    result.set(block!.subarray(Math.max(0, -offset), Math.max(0, result.length - offset)), Math.max(0, offset))
  }
  return result
}

function missingRuns(found: readonly (Uint8Array | undefined)[]): ByteRange[] {
  const runs: { start: number; end: number }[] = []
  for (const [at, block] of found.entries()) {
    if (block !== undefined) continue
    const last = runs.at(-1)
    if (last?.end === at) last.end++
    else runs.push({ start: at, end: at + 1 })
  }
  return runs
}
