/** A bound on work that runs at once. */

/** Places for work that runs at once; who comes later waits for one to be given back. */
export class Slots {
  private free: number
  private readonly waiting: (() => void)[] = []

  constructor(count: number) {
    this.free = count
  }

  /** @returns gives the place back */
  async take(): Promise<() => void> {
    if (this.free > 0) this.free--
    else await new Promise<void>((resolve) => this.waiting.push(resolve))
    return () => {
      const next = this.waiting.shift()
      if (next === undefined) this.free++
      else next()
    }
  }
}
