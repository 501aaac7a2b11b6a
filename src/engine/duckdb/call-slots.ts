/**
 * How many calls of DuckDB may be under way in the process.
 *
 * Each holds one of the threads on which Node also opens files and looks up names. One of them is left free, so that
 * uploads go on while queries run; more queries at once would only share the same cores.
 */

const NODE_THREADS = Number(process.env.UV_THREADPOOL_SIZE) || 4

export class CallSlots {
  private free: number
  private readonly waiting: (() => void)[] = []

  constructor(slots: number) {
    this.free = slots
  }

  /** Makes a call when its turn comes, in the order of asking. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--
    else await new Promise<void>((resolve) => this.waiting.push(resolve))
    try {
      return await call()
    } finally {
      const next = this.waiting.shift()
      if (next === undefined) this.free++
      else next()
    }
  }
}

export const callSlots = new CallSlots(Math.max(1, NODE_THREADS - 1))
