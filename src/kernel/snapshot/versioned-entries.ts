/**
 * A map whose older states stay readable: every entry carries the versions between which it holds.
 *
 * Writing costs what is written. What is dead for every open view is dropped once it outweighs the living.
 */

interface Entry<T> {
  readonly key: string
  readonly value: T
  /** first version that has it */
  readonly from: number
  /** first version that has it no more */
  to: number
  /** what stood at the key before */
  readonly older: Entry<T> | undefined
}

const ALIVE = Number.POSITIVE_INFINITY
/** below it, sweeping is not worth the walk */
const SWEEP_FROM = 1000

export class VersionedEntries<T> {
  private entries: Entry<T>[] = []
  /** the newest entry of every key, dead or alive */
  private readonly newest = new Map<string, Entry<T>>()
  private dead = 0

  /** @returns the value that was replaced, if one was alive */
  set(key: string, value: T, version: number): T | undefined {
    const replaced = this.delete(key, version)
    const entry: Entry<T> = { key, value, from: version, to: ALIVE, older: this.newest.get(key) }
    this.newest.set(key, entry)
    this.entries.push(entry)
    return replaced
  }

  /** @returns the value that was alive, if any */
  delete(key: string, version: number): T | undefined {
    const entry = this.newest.get(key)
    if (entry === undefined || entry.to !== ALIVE) return undefined
    entry.to = version
    this.dead++
    return entry.value
  }

  get(key: string, version: number): T | undefined {
    let entry = this.newest.get(key)
    while (entry !== undefined && !holds(entry, version)) entry = entry.older
    return entry?.value
  }

  /** The values of a version, in the order they came; what is written meanwhile does not show. */
  *values(version: number): Iterable<T> {
    const { entries } = this
    const { length } = entries
    for (let i = 0; i < length; i++) {
      const entry = entries[i]!
      if (holds(entry, version)) yield entry.value
    }
  }

  /** Drops what no version from `oldestOpen` on has, when that is more than half of everything. */
  sweep(oldestOpen: number): void {
    if (this.dead < SWEEP_FROM || this.dead * 2 < this.entries.length) return
    const kept = this.entries.filter((entry) => entry.to > oldestOpen)
    this.newest.clear()
    this.entries = kept.map((entry) => {
      const copy: Entry<T> = { ...entry, older: this.newest.get(entry.key) }
      this.newest.set(entry.key, copy)
      return copy
    })
    this.dead = kept.filter((entry) => entry.to !== ALIVE).length
  }
}

function holds(entry: { readonly from: number; readonly to: number }, version: number): boolean {
  return entry.from <= version && version < entry.to
}
