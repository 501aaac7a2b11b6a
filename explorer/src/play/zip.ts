/** A table as a zip: a folder that any reader of Delta opens when it is unpacked. */
import { unzipSync, type ZippableFile, zipSync } from 'fflate'
import type { KeptObject } from './kept-store.ts'

const MAX_UNPACKED_BYTES = 512 * 1024 * 1024
const FOLDER = 'orders/'

export function zipTable(objects: readonly KeptObject[]): Uint8Array {
  const entries = objects.map(({ key, bytes, modifiedMs }): [string, ZippableFile] => {
    return [FOLDER + key, [bytes, { mtime: modifiedMs, level: key.endsWith('.parquet') ? 0 : 6 }]]
  })
  return zipSync(Object.fromEntries(entries))
}

/**
 * The objects of the table in a zip, wherever its folder lies in it.
 *
 * @throws Error where there is no `_delta_log`, or it unpacks to more than 512 MB
 */
export function unzipTable(bytes: Uint8Array): KeptObject[] {
  let size = 0
  const files = unzipSync(bytes, {
    filter: ({ originalSize }) => {
      size += originalSize
      if (size > MAX_UNPACKED_BYTES) throw new Error('the zip unpacks to more than 512 MB, which does not fit here')
      return true
    },
  })
  const log = Object.keys(files).find((name) => /(^|\/)_delta_log\/\d{20}\.(json|checkpoint)/.test(name))
  if (log === undefined) throw new Error('the zip holds no _delta_log: zip the folder of a Delta table')
  const root = log.slice(0, log.indexOf('_delta_log/'))
  const modifiedMs = Date.now()
  return Object.entries(files)
    .filter(([name]) => name.startsWith(root) && !name.endsWith('/') && !name.includes('..'))
    .map(([name, content]) => ({
      key: name.slice(root.length),
      bytes: content,
      modifiedMs: modifiedMs + orderOf(name),
    }))
}

/** Commits get times in their order, for a zip keeps them to two seconds only. */
function orderOf(name: string): number {
  return Number(/(\d{20})\.json$/.exec(name)?.[1] ?? 0)
}
