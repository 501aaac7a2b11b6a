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
    const turn = this.enter()
    if (turn !== undefined) await turn
    return () => this.leave()
  }

  /** Does work when its turn comes, in the order of asking; at once where there is a place. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.enter()
    if (turn !== undefined) await turn
    try {
      return await work()
    } finally {
      this.leave()
    }
  }

  /** @returns undefined where a place is free, which is then taken */
  private enter(): Promise<void> | undefined {
    if (this.free === 0) return new Promise((resolve) => this.waiting.push(resolve))
    this.free--
    return undefined
  }

  private leave(): void {
    const next = this.waiting.shift()
    if (next === undefined) this.free++
    else next()
  }
}
