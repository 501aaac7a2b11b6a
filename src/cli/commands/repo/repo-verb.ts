/** What the verbs of `bayou repo` share. */
import { type OpenStore, Repository } from '../../../ducklake/index.ts'
import { deltaError } from '../../../errors/index.ts'
import type { CliContext } from '../../cli-command.ts'
import { duckDbOptions } from '../../globals.ts'

/** Options of all verbs; each takes those its help names. */
export interface RepoOptions {
  readonly format?: readonly string[]
  readonly until?: string
  readonly branch?: string
  readonly ref?: string
  readonly author?: string
  readonly message?: string
  readonly dataPath?: string
  readonly as?: string
  readonly query?: string
  readonly all?: boolean
  readonly rows?: boolean
  readonly force?: boolean
  readonly yes?: boolean
  readonly reason?: string
  readonly graceHours?: number
  readonly base?: string
  readonly host?: string
  readonly port?: number
  readonly limit?: number
}

export interface RepoCall {
  /** what stands behind the verb */
  readonly args: readonly string[]
  readonly options: RepoOptions
  readonly context: CliContext
}

export type RepoVerb = (call: RepoCall) => Promise<number | undefined>

export async function openStoreOf(context: CliContext): Promise<OpenStore> {
  return (await context.session()).openStore
}

/** The repository named first. */
export async function openRepository({ args, context }: RepoCall): Promise<Repository> {
  const store = await (await openStoreOf(context))(required(args[0], 'a repository'))
  return await Repository.open(store)
}

/** What opening a version takes. */
export async function readingOptions(context: CliContext) {
  return { openStore: await openStoreOf(context), engine: duckDbOptions(context.globals) }
}

export function required(value: string | undefined, what: string): string {
  if (value !== undefined) return value
  throw deltaError('LAKE_USAGE', {
    problem: `${what} is missing`,
    advice: 'bayou repo --help shows how each verb is written',
  })
}

export async function printJsonLine(context: CliContext, value: unknown): Promise<void> {
  await context.output.line(JSON.stringify(value))
}

/** Time of the command, which tests set. */
export function clockOf({ globals }: CliContext): { clock?: { now(): number } } {
  const { now } = globals
  return now === undefined ? {} : { clock: { now: () => now } }
}
