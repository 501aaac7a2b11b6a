/**
 * A compare-and-swap of a small file.
 *
 * A lock file, made only if absent, keeps other processes out between the comparison and the rename. One that a crash
 * left behind is taken away once it is older than any swap can last.
 */
import { link, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deltaError } from '../../errors/index.ts'
import { compareBytes, delay, md5Hex } from '../../support/index.ts'
import { systemCode } from './fs-error.ts'
import { temporaryName } from './local-path.ts'
import { replaceFile } from './write-file.ts'

const WAIT_MS = 20_000
const STALE_MS = 10_000

/** Replaces the file at `path` if it holds `expected`. */
export async function replaceFileIf(
  path: string,
  bytes: Uint8Array,
  expected: Uint8Array,
): Promise<'replaced' | 'changed'> {
  const lock = lockPath(path)
  if (!(await takeLock(lock))) return 'changed'
  try {
    const held = await readFile(path).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined
      throw error
    })
    if (held === undefined || compareBytes(held, expected) !== 0) return 'changed'
    await replaceFile(path, bytes)
    return 'replaced'
  } finally {
    await unlink(lock).catch(() => undefined)
  }
}

/** Named like a temporary file, so that no listing shows it. */
function lockPath(path: string): string {
  return join(dirname(path), temporaryName().replace(/[0-9a-f]{32}$/, md5Hex(new TextEncoder().encode(path))))
}

/** @returns false where the folder, and so the file, is not there */
async function takeLock(lock: string): Promise<boolean> {
  for (const start = Date.now(); ; ) {
    try {
      await (await open(lock, 'wx')).close()
      return true
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false
      if (systemCode(error) !== 'EEXIST') throw error
    }
    if (await isStale(lock)) await removeStale(lock)
    else if (Date.now() - start > WAIT_MS) {
      const cause = `another process holds the lock ${lock}`
      throw deltaError('LAKE_STORAGE_UNAVAILABLE', { operation: 'replaceIf', key: lock, cause })
    } else await delay(1 + Math.random() * 10)
  }
}

async function isStale(lock: string): Promise<boolean> {
  const stats = await stat(lock).catch(() => undefined)
  return stats !== undefined && Date.now() - stats.mtimeMs > STALE_MS
}

/** By a rename, so that of several who find it stale one takes it away; one that was new after all is put back. */
async function removeStale(lock: string): Promise<void> {
  const aside = join(dirname(lock), temporaryName())
  await rename(lock, aside).catch(() => undefined)
  if (!(await isStale(aside))) await link(aside, lock).catch(() => undefined)
  await unlink(aside).catch(() => undefined)
}
