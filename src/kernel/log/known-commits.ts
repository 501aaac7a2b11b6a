/**
 * Commits whose text this process has had in its hands: those it made, and those it lost to.
 *
 * A commit is never written again, so its text need not be read again either. The oldest are dropped beyond a bound.
 */
const MAX_BYTES = 16 * 1024 * 1024

export interface KnownCommit {
  readonly version: number
  readonly bytes: Uint8Array
  /** of the commit's file, milliseconds; undefined where only the bytes are known */
  readonly modifiedMs: number | undefined
}

export class KnownCommits {
  private readonly commits = new Map<number, KnownCommit>()
  private size = 0

  add(commit: KnownCommit): void {
    if (this.commits.has(commit.version)) return
    this.commits.set(commit.version, commit)
    this.size += commit.bytes.length
    for (const [version, { bytes }] of this.commits) {
      if (this.size <= MAX_BYTES) break
      this.commits.delete(version)
      this.size -= bytes.length
    }
  }

  /** Takes over what others hold. */
  addAll(others: KnownCommits): void {
    for (const commit of others.commits.values()) this.add(commit)
  }

  get(version: number): KnownCommit | undefined {
    return this.commits.get(version)
  }

  /** Forgets what lies at or below a version. */
  forgetTo(version: number): void {
    for (const [known, { bytes }] of this.commits) {
      if (known > version) continue
      this.commits.delete(known)
      this.size -= bytes.length
    }
  }
}
