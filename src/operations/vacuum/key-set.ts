/**
 * A set of keys that holds eight bytes a key, so that a table of a million files costs a few megabytes.
 *
 * Keys are known by a hash of 53 bits. Two keys may have the same one, so the set can say of a key that it is in it when
 * it is not, and never the other way round: a file that ought to go may stay, none that ought to stay can go.
 */
const MIN_CAPACITY = 1024

export class KeySet {
  /** open addressing; 0 is an empty place */
  private hashes = new Float64Array(MIN_CAPACITY)
  private count = 0

  add(key: string): void {
    if (this.count * 2 >= this.hashes.length) this.grow()
    if (this.place(hashOf(key))) this.count++
  }

  has(key: string): boolean {
    const hash = hashOf(key)
    const { hashes } = this
    for (let at = startOf(hash, hashes.length); hashes[at] !== 0; at = (at + 1) % hashes.length) {
      if (hashes[at] === hash) return true
    }
    return false
  }

  private place(hash: number): boolean {
    const { hashes } = this
    let at = startOf(hash, hashes.length)
    while (hashes[at] !== 0) {
      if (hashes[at] === hash) return false
      at = (at + 1) % hashes.length
    }
    hashes[at] = hash
    return true
  }

  private grow(): void {
    const old = this.hashes
    this.hashes = new Float64Array(old.length * 2)
    for (const hash of old) if (hash !== 0) this.place(hash)
  }
}

function startOf(hash: number, capacity: number): number {
  return hash % capacity
}

/** Two mixes of 32 bits, the second cut to 21: a whole number from 1 to 2^53. */
function hashOf(key: string): number {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    low = Math.imul(low ^ unit, 2654435761)
    high = Math.imul(high ^ unit, 1597334677)
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  return (high >>> 11) * 2 ** 32 + (low >>> 0) + 1
}
