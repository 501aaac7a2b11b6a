/** Processes that write to one table at once, and what each says of it. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

export interface WriterSpec {
  readonly work: 'append' | 'update' | 'merge' | 'compact'
  readonly name: string
  readonly count: number
}

export interface WriterReport {
  readonly versions: readonly number[]
  readonly latenciesMs: readonly number[]
  /** conflicts that the writer met by running its change again */
  readonly conflicts: number
}

const script = fileURLToPath(new URL('./writer.mjs', import.meta.url))

class WriterProcess {
  private readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  private said = ''
  private complaint = ''
  private readonly ended: Promise<number | null>

  constructor(path: string, { work, name, count }: WriterSpec, env: NodeJS.ProcessEnv) {
    const options = { stdio: 'pipe', env: { ...process.env, ...env } } as const
    this.child = spawn(process.execPath, [script, work, path, name, String(count)], options)
    this.child.stderr.on('data', (text) => (this.complaint += text))
    this.child.stdout.on('data', (text) => (this.said += text))
    this.ended = new Promise((resolve) => this.child.on('close', resolve))
  }

  async ready(): Promise<void> {
    const isReady = async () => {
      while (!this.said.startsWith('ready\n')) await new Promise((resolve) => this.child.stdout.once('data', resolve))
    }
    const failed = this.ended.then(() => {
      if (!this.said.startsWith('ready\n')) throw new Error(`a writer ended before it began: ${this.complaint}`)
    })
    await Promise.race([isReady(), failed])
  }

  begin(): void {
    this.child.stdin.write('begin\n')
  }

  async report(): Promise<WriterReport> {
    const status = await this.ended
    if (status !== 0) throw new Error(`a writer ended with ${status}: ${this.complaint}`)
    return JSON.parse(this.said.slice('ready\n'.length))
  }
}

/**
 * Runs writers at once, none of which begins before all are ready.
 *
 * @returns their reports in their order, and the seconds from the beginning to the last end
 * @throws Error with what a writer complained of, when one fails
 */
export async function runWriters(
  path: string,
  specs: readonly WriterSpec[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ reports: readonly WriterReport[]; seconds: number }> {
  const writers = specs.map((spec) => new WriterProcess(path, spec, env))
  await Promise.all(writers.map((writer) => writer.ready()))
  const startedMs = performance.now()
  for (const writer of writers) writer.begin()
  const reports = await Promise.all(writers.map((writer) => writer.report()))
  return { reports, seconds: (performance.now() - startedMs) / 1000 }
}
