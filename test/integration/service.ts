/** Servers of others, started by the scripts beside the shared tables. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { sharedMissing, sharedPath } from '../support/shared.ts'

/** What the script of a server says of it, and how it is ended. */
export interface Service {
  stop(): void
}

export interface S3Service extends Service {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly users: Readonly<Record<string, { readonly accessKeyId: string; readonly secretAccessKey: string }>>
}

/** The sentence a test skips with where a server cannot be started. */
export function serviceMissing(name: string): string | undefined {
  const missing = sharedMissing('services', `${name}.sh`)
  if (missing !== undefined) return missing
  const { status, stderr } = run(name, ['install'])
  return status === 0 ? undefined : `${name} could not be installed: ${stderr.trim().slice(-200)}`
}

/** As `serviceMissing`, of a server that takes too long to compile for a run of tests: it is used where it stands ready. */
export function serviceBuilt(name: string): string | undefined {
  const home = process.env.SERVICES_HOME
  const isBuilt = home !== undefined && existsSync(join(home, name)) && readdirSync(join(home, name)).length > 0
  return isBuilt
    ? serviceMissing(name)
    : `${name} is not built: \`${name}.sh install\`, and SERVICES_HOME names its folder`
}

/** Some servers take the ports that follow too, and another process may hold one of them: then other ports are tried. */
export async function startService<T extends Service = S3Service>(name: string, ...options: string[]): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const port = String(await freePort())
    const { status, stdout, stderr } = run(name, ['start', port, ...options])
    const stop = () => void run(name, ['stop', port])
    if (status === 0) return { ...(JSON.parse(stdout) as T), stop }
    stop()
    if (attempt === 3) throw new Error(`${name} did not start: ${stderr.slice(-2000)}`)
  }
}

function run(name: string, args: readonly string[]) {
  return spawnSync('bash', [sharedPath('services', `${name}.sh`), ...args], { encoding: 'utf8', timeout: 600_000 })
}

function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
