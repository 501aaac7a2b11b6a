/**
 * Temporary folders that belong to one process.
 *
 * A killed process leaves its spill files for ever, and a new DuckDB instance does not clear them, so the folder's name
 * carries host and pid, and whoever starts next on the host sweeps the folders of processes that are gone.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

const RAM_ROOT = '/dev/shm'
/** A RAM-backed folder is used only when this much is free in it. */
const RAM_MIN_FREE = 512 * 1024 * 1024

/** `bayou-<host>-<pid>-<random>`; characters of the host name that could end a path segment are replaced. */
const prefix = `bayou-${hostname().replace(/[^A-Za-z0-9.]/g, '_')}-`

/**
 * Makes a fresh folder below `root` and removes those that processes of this host left there when they died.
 *
 * @param root the system's folder for temporary files when absent
 */
export function makeTempDirectory(root: string = tmpdir()): string {
  mkdirSync(root, { recursive: true })
  sweep(root)
  const directory = join(root, `${prefix}${process.pid}-${randomUUID().slice(0, 8)}`)
  mkdirSync(directory)
  return directory
}

/** A fresh folder in memory, or undefined where the system has none or it is nearly full. */
export function makeRamDirectory(): string | undefined {
  try {
    if (!existsSync(RAM_ROOT)) return undefined
    const { bavail, bsize } = statfsSync(RAM_ROOT)
    return bavail * bsize >= RAM_MIN_FREE ? makeTempDirectory(RAM_ROOT) : undefined
  } catch {
    return undefined
  }
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
}

function sweep(root: string): void {
  for (const name of readdirSync(root)) {
    if (!name.startsWith(prefix)) continue
    const pid = Number(/^(\d+)-/.exec(name.slice(prefix.length))?.[1])
    if (Number.isSafeInteger(pid) && !isAlive(pid)) removeDirectory(join(root, name))
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
