/** The options every command takes, and the file that gives their defaults. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import type { DuckDbOptions } from '../engine/duckdb/index.ts'
import { causeText, deltaError } from '../errors/index.ts'
import { isJsonObject, type JsonObject, type JsonValue, parseJson, parseTimestamp } from '../support/index.ts'
import type { Terminal } from './terminal.ts'

export type ColorChoice = 'auto' | 'always' | 'never'

export interface GlobalOptions {
  readonly json: boolean
  readonly quiet: boolean
  readonly color: ColorChoice
  readonly memoryLimit?: string
  readonly threads?: number
  readonly tempDir?: string
  /** where blocks of data files behind a network are kept; set in the configuration alone */
  readonly cacheDir?: string
  /** what they may take */
  readonly cacheBytes?: number
  /** the workspace that knows tables given as `unity:catalog.schema.table`; set in the configuration alone */
  readonly unityCatalog?: UnityOptions
  /** milliseconds since 1970; the real time when absent */
  readonly now?: number
  /** who makes the commits; the user of the operating system when absent */
  readonly user?: string
  /** where names of tables are kept; set in the configuration alone */
  readonly namesFolder?: string
}

export interface UnityOptions {
  readonly workspace: string
  readonly clientId: string
  /** name of the credential that holds the secret */
  readonly clientSecret: string
  /** of the tables' buckets */
  readonly region: string
  readonly endpoint?: string
}

/** What commander hands over for them. */
interface GivenOptions {
  readonly json?: boolean
  readonly quiet?: boolean
  readonly color?: ColorChoice
  readonly config?: string
  readonly memoryLimit?: string
  readonly threads?: number
  readonly tempDir?: string
  readonly now?: number
  readonly user?: string
}

export function addGlobalOptions(program: Command): void {
  program
    .option('--json', 'machine output')
    .option('--quiet', 'say nothing beside the result')
    .addOption(new Option('--color <when>', 'colours (NO_COLOR is honoured)').choices(['auto', 'always', 'never']))
    .option('--config <file>', 'defaults of these options (./bayou.json, $XDG_CONFIG_HOME/bayou/config.json)')
    .option('--memory-limit <size>', 'memory the engine may use, such as 4GB', parseMemoryLimit)
    .option('--threads <n>', 'threads the engine may use', parsePositiveInteger)
    .option('--temp-dir <dir>', 'folder for temporary files')
    .option('--user <name>', 'who makes the commits, as history shows it (the user of the operating system)')
    .addOption(new Option('--now <timestamp>', 'clock for tests').argParser(parseNow).hideHelp())
}

/** @throws DeltaError `LAKE_CONFIG_INVALID` */
export function resolveGlobals(given: GivenOptions, terminal: Terminal): GlobalOptions {
  const config = loadConfig(given.config, terminal)
  const memoryLimit = given.memoryLimit ?? config.memoryLimit
  const threads = given.threads ?? config.threads
  const tempDir = given.tempDir ?? config.tempDir
  return {
    json: given.json ?? false,
    quiet: given.quiet ?? false,
    color: given.color ?? 'auto',
    ...(memoryLimit !== undefined && { memoryLimit }),
    ...(threads !== undefined && { threads }),
    ...(tempDir !== undefined && { tempDir }),
    ...(config.cacheDir !== undefined && { cacheDir: config.cacheDir }),
    ...(config.cacheBytes !== undefined && { cacheBytes: config.cacheBytes }),
    ...(config.unityCatalog !== undefined && { unityCatalog: config.unityCatalog }),
    ...(given.now !== undefined && { now: given.now }),
    ...(given.user !== undefined && { user: given.user }),
    ...(config.namesFolder !== undefined && { namesFolder: config.namesFolder }),
  }
}

/** The limits of the engine that the options set. */
export function duckDbOptions(options: GlobalOptions): DuckDbOptions {
  const { memoryLimit, threads, tempDir, cacheDir: directory, cacheBytes: maxBytes } = options
  return {
    ...(directory !== undefined && { cache: { directory, ...(maxBytes !== undefined && { maxBytes }) } }),
    ...(memoryLimit !== undefined && { memoryLimit }),
    ...(threads !== undefined && { threads }),
    ...(tempDir !== undefined && { tempDirectory: tempDir }),
  }
}

type Config = Pick<
  GlobalOptions,
  'memoryLimit' | 'threads' | 'tempDir' | 'cacheDir' | 'cacheBytes' | 'unityCatalog' | 'namesFolder'
>

function loadConfig(file: string | undefined, terminal: Terminal): Config {
  if (file !== undefined) return parseConfig(file, readText(file))
  for (const candidate of defaultConfigFiles(terminal)) {
    const text = readIfThere(candidate)
    if (text !== undefined) return parseConfig(candidate, text)
  }
  return {}
}

function defaultConfigFiles({ cwd, env }: Terminal): string[] {
  const home = env.XDG_CONFIG_HOME ?? (env.HOME === undefined ? undefined : join(env.HOME, '.config'))
  return [join(cwd, 'bayou.json'), ...(home === undefined ? [] : [join(home, 'bayou', 'config.json')])]
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw deltaError('LAKE_CONFIG_INVALID', { file, problem: `it cannot be read: ${causeText(cause)}` }, { cause })
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

const CONFIG_KEYS: {
  readonly [K in keyof Required<Config>]: (value: JsonValue, refuse: Refuse) => Required<Config>[K]
} = {
  memoryLimit: (value, refuse) =>
    typeof value === 'string' && MEMORY_LIMIT.test(value) ? value : refuse('a size such as "4GB"'),
  threads: wholeNumber,
  tempDir: folder,
  cacheDir: folder,
  cacheBytes: wholeNumber,
  unityCatalog: unityOptions,
  namesFolder: folder,
}

const UNITY_KEYS = ['workspace', 'clientId', 'clientSecret', 'region']

function unityOptions(value: JsonValue, refuse: Refuse): UnityOptions {
  const allowed = `an object with the texts ${UNITY_KEYS.join(', ')}`
  if (!isJsonObject(value)) return refuse(allowed)
  const known = new Set([...UNITY_KEYS, 'endpoint'])
  const isGood =
    UNITY_KEYS.every((key) => typeof value[key] === 'string') &&
    Object.entries(value).every(([key, text]) => known.has(key) && typeof text === 'string')
  return isGood ? (value as unknown as UnityOptions) : refuse(allowed)
}

type Refuse = (allowed: string) => never

function wholeNumber(value: JsonValue, refuse: Refuse): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : refuse('a whole number from 1')
}

function folder(value: JsonValue, refuse: Refuse): string {
  return typeof value === 'string' && value !== '' ? value : refuse('the path of a folder')
}

function parseConfig(file: string, text: string): Config {
  const invalid = (problem: string) => deltaError('LAKE_CONFIG_INVALID', { file, problem })
  const json = parseConfigText(text, invalid)
  const config: { -readonly [K in keyof Config]: unknown } = {}
  for (const [key, value] of Object.entries(json)) {
    if (!Object.hasOwn(CONFIG_KEYS, key)) {
      throw invalid(`the key ${key} is not known; there are ${Object.keys(CONFIG_KEYS).join(', ')}`)
    }
    const name = key as keyof Config
    config[name] = CONFIG_KEYS[name](value ?? null, (allowed) => {
      throw invalid(`${key} is to be ${allowed}`)
    })
  }
  return config as Config
}

function parseConfigText(text: string, invalid: (problem: string) => Error): JsonObject {
  let json: JsonValue
  try {
    json = parseJson(text)
  } catch (cause) {
    throw invalid(causeText(cause))
  }
  if (!isJsonObject(json)) throw invalid('it is not a JSON object')
  return json
}

const MEMORY_LIMIT = /^\d+(\.\d+)?\s*([KMGT]i?)?B$/i

function parseMemoryLimit(text: string): string {
  if (MEMORY_LIMIT.test(text)) return text
  throw new InvalidArgumentError('It is a size such as 4GB or 512MiB.')
}

export function parsePositiveInteger(text: string): number {
  const number = parseWholeNumber(text)
  if (number > 0) return number
  throw new InvalidArgumentError('It is a whole number from 1.')
}

export function parseWholeNumber(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number
  throw new InvalidArgumentError('It is a whole number from 0.')
}

export function parsePort(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number <= 65535) return number
  throw new InvalidArgumentError('It is a whole number from 0 to 65535.')
}

function parseNow(text: string): number {
  const parsed = parseTimestamp(text)
  if (parsed === undefined) throw new InvalidArgumentError('It is a time such as 2024-02-29T12:00:00Z.')
  return Math.floor(Number(parsed.micros) / 1000) - (parsed.offsetMinutes ?? 0) * 60_000
}
