/** Clocks of the benchmarks, in seconds. */

export function round(seconds) {
  return Number(seconds.toFixed(4))
}

/** Times the operation of a case, wall and CPU, and nothing beside it. */
export class Clock {
  seconds = 0
  cpuSeconds = 0
  phases = {}

  async op(work) {
    const begun = performance.now()
    const before = process.cpuUsage()
    const result = await work()
    const used = process.cpuUsage(before)
    this.seconds = (performance.now() - begun) / 1000
    this.cpuSeconds = (used.user + used.system) / 1e6
    return result
  }

  async phase(name, work) {
    const begun = performance.now()
    const result = await work()
    this.phases[name] = round((performance.now() - begun) / 1000)
    return result
  }
}

/** What a call costs once a process is warm: the median of some runs. */
export async function medianSeconds(times, work) {
  const seconds = []
  for (let i = 0; i < times; i++) {
    const begun = performance.now()
    await work()
    seconds.push((performance.now() - begun) / 1000)
  }
  return round(seconds.sort((a, b) => a - b)[seconds.length >> 1])
}
