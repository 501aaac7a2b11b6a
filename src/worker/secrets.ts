/**
 * Credentials that configurations name: a variable of the host, else a stored secret.
 *
 * Stored secrets are one JSON file, readable by its owner alone. Only their names are ever listed.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { causeText, deltaError } from '../errors/index.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Gives the value of a credential by its name; undefined where this host has none. */
export type CredentialLookup = (name: string) => string | undefined

/**
 * A credential that a source cannot do without; an empty one is none.
 *
 * @param what it is, in words
 * @param name of the variable or stored secret
 * @throws DeltaError `WORKER_SOURCE_CREDENTIAL_MISSING`
 */
export function sourceCredential(
  lookup: CredentialLookup,
  source: string,
  what: string,
  name: string | undefined,
): string {
  const value = name === undefined ? undefined : lookup(name)
  if (!value) throw deltaError('WORKER_SOURCE_CREDENTIAL_MISSING', { source, what, name })
  return value
}

/** Where stored secrets are: `BAYOU_SECRETS_FILE`, else `bayou/secrets.json` in the user's configuration folder. */
export function secretsFile(env: Environment): string {
  if (env.BAYOU_SECRETS_FILE) return env.BAYOU_SECRETS_FILE
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'bayou', 'secrets.json')
}

/** Looks anew each time, so that a secret that was replaced is taken. An empty variable is none. */
export function credentialLookup(env: Environment): CredentialLookup {
  return (name) => env[name] || readSecrets(secretsFile(env)).get(name)
}

/**
 * @returns names in the order of their letters
 * @throws DeltaError `WORKER_SECRETS_FILE`
 */
export function listSecrets(file: string): readonly string[] {
  return [...readSecrets(file).keys()].sort()
}

/** @throws DeltaError `WORKER_SECRETS_FILE`, `WORKER_SECRET_NAME` */
export function setSecret(file: string, name: string, value: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name)) throw deltaError('WORKER_SECRET_NAME', { name: JSON.stringify(name) })
  writeSecrets(file, new Map(readSecrets(file)).set(name, value))
}

/** @throws DeltaError `WORKER_SECRETS_FILE`, `WORKER_SECRET_UNKNOWN` */
export function removeSecret(file: string, name: string): void {
  const secrets = new Map(readSecrets(file))
  if (!secrets.delete(name)) throw deltaError('WORKER_SECRET_UNKNOWN', { name, file })
  writeSecrets(file, secrets)
}

function readSecrets(file: string): ReadonlyMap<string, string> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
      throw new Error('others can read it; make it 0600')
    }
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return new Map()
    throw deltaError('WORKER_SECRETS_FILE', { file, cause: causeText(cause) })
  }
  try {
    const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
    if (entries.every(([, value]) => typeof value === 'string')) return new Map(entries as [string, string][])
  } catch {
    // what the parser says of the text may quote a secret
  }
  throw deltaError('WORKER_SECRETS_FILE', { file, cause: 'it is not a JSON object of texts' })
}

/** Written beside and renamed, so that a crash leaves the old file or the new one. */
function writeSecrets(file: string, secrets: ReadonlyMap<string, string>): void {
  const beside = `${file}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(beside, `${JSON.stringify(Object.fromEntries(secrets), null, 2)}\n`, { mode: 0o600 })
    chmodSync(beside, 0o600)
    renameSync(beside, file)
  } catch (cause) {
    throw deltaError('WORKER_SECRETS_FILE', { file, cause: causeText(cause) })
  }
}
