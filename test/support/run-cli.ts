/** The built command, run as a user runs it. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryRoot } from './shared.ts'

export interface CliRun {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CliOptions {
  readonly cwd?: string
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
  /** called once the process runs; the standard input is left open then */
  readonly whileRunning?: (child: ReturnType<typeof spawn>) => Promise<void>
}

export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const child = spawn(process.execPath, [join(repositoryRoot, 'dist/cli/main.js'), ...args], {
    cwd: options.cwd,
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...options.env },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  child.stdin.on('error', () => {})
  if (options.whileRunning === undefined) child.stdin.end(options.stdin ?? '')
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (status) => resolve({ status, ...output }))
    options.whileRunning?.(child).catch(reject)
  })
}

/** A folder of its own that the caller removes. */
export function makeFolder(): { path: string; file(name: string, text: string): string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'bayou-test-'))
  return {
    path,
    file(name, text) {
      writeFileSync(join(path, name), text)
      return join(path, name)
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
