/** The built `bayou explore`, started as a person does. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { repositoryRoot } from './shared.ts'

export const cli = join(repositoryRoot, 'dist/cli/main.js')

export interface Explored {
  readonly url: string
  close(): void
}

export async function startExplore(...args: string[]): Promise<Explored> {
  const server: ChildProcess = spawn(process.execPath, [cli, 'explore', ...args, '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(server.stdout!, 'data')) as [Buffer]
  return { url: JSON.parse(line.toString()).url, close: () => server.kill('SIGINT') }
}
