/** Runs a command as a whole process and reads what it cost from /proc (Linux). */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

const TICKS_PER_SEC = 100

/**
 * @param {string[]} command program and arguments
 * @returns {Promise<{ code: number, seconds: number, cpuSeconds: number, peakMb: number, stdout: string }>}
 */
export function measure(command) {
  const [program, ...args] = command
  return new Promise((resolve, reject) => {
    const begun = performance.now()
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    const cost = { cpuSeconds: 0, peakMb: 0 }
    child.stdout.on('data', (bytes) => {
      stdout += bytes
    })
    child.stderr.on('data', (bytes) => {
      stderr = (stderr + bytes).slice(-4000)
    })
    const timer = setInterval(() => sample(child.pid, cost), 20)
    child.on('error', reject)
    child.on('close', (code) => {
      clearInterval(timer)
      if (code !== 0) console.error(stderr)
      resolve({ code, seconds: (performance.now() - begun) / 1000, ...cost, stdout })
    })
  })
}

function sample(pid, cost) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const peak = /VmHWM:\s+(\d+) kB/.exec(status)
    if (peak !== null) cost.peakMb = Math.max(cost.peakMb, Number(peak[1]) / 1024)
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    cost.cpuSeconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SEC
  } catch (error) {
    // the process ended between two samples
    if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error
  }
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
