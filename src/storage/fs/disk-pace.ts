/**
 * How fast a file system answers, to decide where its calls are made.
 *
 * A call on this thread costs a twentieth of one that goes to another thread and back, and holds everything up for as
 * long as the disk takes. So calls are made here while they are answered at once; where they are not, as over a network,
 * all but a few probes go to other threads.
 */

/** milliseconds that a call may take on average to be made on this thread */
const AT_ONCE_MS = 0.5

export class DiskPace {
  private meanMs = 0

  /** Makes a call here while the disk is quick, else elsewhere. */
  async call<T>(here: () => T, elsewhere: () => Promise<T>): Promise<T> {
    // forgets a little each time, so that a disk that was slow once is tried again
    this.meanMs *= 0.99
    if (this.meanMs >= AT_ONCE_MS) return await elsewhere()
    const began = performance.now()
    try {
      return here()
    } finally {
      this.meanMs += (performance.now() - began - this.meanMs) / 10
    }
  }
}
