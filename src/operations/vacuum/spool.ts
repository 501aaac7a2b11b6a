/** Keys of files that are to go, in little memory: texts of a page are one text. */

const PAGE_KEYS = 1000
/** no key holds it */
const SEPARATOR = '\0'

export class Spool {
  private readonly pages: string[] = []
  private page: string[] = []
  private count = 0
  private bytes = 0
  private readonly limit: number

  /** @param limit keys held at most */
  constructor(limit: number) {
    this.limit = limit
  }

  /** files counted, held or not */
  get numFiles(): number {
    return this.count
  }

  /** their sizes together */
  get sizeInBytes(): number {
    return this.bytes
  }

  /** the last key held, where others came behind it that are not */
  overflow: string | undefined

  add(key: string, size: number): void {
    this.bytes += size
    if (this.count++ >= this.limit) return
    this.page.push(key)
    if (this.count === this.limit) this.overflow = key
    if (this.page.length === PAGE_KEYS) this.flush()
  }

  *held(): Generator<readonly string[]> {
    for (const page of this.pages) yield page.split(SEPARATOR)
    if (this.page.length > 0) yield this.page
  }

  /** whether keys were counted that are not held */
  get isFull(): boolean {
    return this.count > this.limit
  }

  private flush(): void {
    this.pages.push(this.page.join(SEPARATOR))
    this.page = []
  }
}
