/**
 * Logs of recorded tables with one file damaged, read by both log engines.
 *
 * A case is right when each engine gives files that add up or an error with a code, when it does so soon, and when both
 * give the same files where both give some. A case is known by its seed alone.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeltaError } from '../../src/errors/index.ts'
import { fileKey, fileKeyText, history, type LogEngine, loadSnapshot } from '../../src/kernel/index.ts'
import { memoryStore, type ObjectStore } from '../../src/storage/index.ts'
import { sharedPath } from '../support/shared.ts'
import { damagesOf, type Random, randomOf } from './damage.ts'

const TABLES = [
  'ckpt-classic',
  'ckpt-multipart',
  'ckpt-v2-json',
  'ckpt-v2-parquet',
  'ckpt-log-cleaned',
  'ckpt-stats-struct-only',
  'dv-partitioned',
  'cm-id-new',
  'ict-new',
  'log-compaction',
  'row-tracking-new',
  'type-widening-nested',
]

/** far above what a case takes, also on a machine that does other things */
const SOON_MS = 60_000

export interface NamedLogEngine extends LogEngine {
  readonly name: string
}

type LogFiles = ReadonlyMap<string, Buffer>

const logs = new Map<string, LogFiles>()

/** The files of a log, by their keys. */
function logOf(table: string): LogFiles {
  const known = logs.get(table)
  if (known !== undefined) return known
  const root = sharedPath('tables-spark', table, 'table')
  const names = readdirSync(join(root, '_delta_log'), { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  const log = new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path.slice(root.length + 1), readFileSync(path)] as const
    }),
  )
  logs.set(table, log)
  return log
}

/**
 * Runs one case.
 *
 * @returns what went wrong, with the name of the case; undefined where nothing did
 */
export async function fuzzCase(seed: number, engines: readonly NamedLogEngine[]): Promise<string | undefined> {
  const random = randomOf(seed)
  const table = TABLES[random(TABLES.length)]!
  const { files, name } = damagedLog(logOf(table), random)
  const answers: string[] = []
  for (const engine of engines) {
    const answer = await soon(answerOf(await storeOf(files), engine))
    if (answer.startsWith('!')) return `case ${seed}, ${table}, ${name}, by ${engine.name}: ${answer.slice(1)}`
    answers.push(answer)
  }
  const given = new Set(answers.filter((answer) => !answer.startsWith('code ')))
  return given.size > 1 ? `case ${seed}, ${table}, ${name}: the engines give different files` : undefined
}

function damagedLog(log: LogFiles, random: Random): { readonly files: LogFiles; readonly name: string } {
  const keys = [...log.keys()]
  // checkpoints and their hint are few among many commits
  const rare = keys.filter((key) => !/\/\d{20}\.(json|crc)$/.test(key))
  const pool = rare.length > 0 && random(2) === 0 ? rare : keys
  const key = pool[random(pool.length)]!
  const damages = damagesOf(key)
  const [name, damage] = damages[random(damages.length)]!
  const files = new Map(log)
  const bytes = log.get(key)!
  files.set(key, bytes.length === 0 ? bytes : damage(bytes, random))
  // without the commits before a checkpoint its damage cannot be hidden
  if (random(3) === 0)
    for (const old of keys.slice(0, random(keys.length))) if (/\/\d{20}\.json$/.test(old)) files.delete(old)
  return { files, name: `${name} of ${key}` }
}

async function storeOf(files: LogFiles): Promise<ObjectStore> {
  const store = memoryStore()
  for (const [key, bytes] of files) await store.put(key, Uint8Array.from(bytes))
  return store
}

/** The files, or the code of an error; what is wrong begins with an exclamation mark. */
async function answerOf(store: ObjectStore, engine: LogEngine): Promise<string> {
  try {
    const snapshot = await loadSnapshot(store, engine)
    try {
      const keys: string[] = []
      for await (const page of snapshot.files.select()) keys.push(...page.map((file) => fileKeyText(fileKey(file))))
      const { numFiles } = await snapshot.files.totals()
      if (keys.length !== numFiles) return `!${keys.length} files instead of ${numFiles}`
      if (new Set(keys).size !== keys.length) return '!a file is live twice'
      await history(store, engine, { limit: 3 }).catch(codeOnly)
      return `version ${snapshot.version}: ${keys.sort().join(' ')}`
    } finally {
      await snapshot.close()
    }
  } catch (error) {
    return isCoded(error) ? `code ${error.code}` : `!${error instanceof Error ? error.stack : error}`
  }
}

function isCoded(error: unknown): error is Error & { readonly code: string } {
  return isDeltaError(error) && error.code !== 'LAKE_INTERNAL'
}

function codeOnly(error: unknown): void {
  if (!isCoded(error)) throw error
}

async function soon(answer: Promise<string>): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`!no answer within ${SOON_MS} ms`), SOON_MS)
  })
  return await Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

/** Runs cases of consecutive seeds until they are through or a time is over. */
export async function fuzzLogs(
  engines: readonly NamedLogEngine[],
  { seed, cases, untilMs }: { readonly seed: number; readonly cases: number; readonly untilMs?: number },
): Promise<{ readonly ran: number; readonly faults: readonly string[] }> {
  const faults: string[] = []
  let ran = 0
  while (ran < cases && Date.now() < (untilMs ?? Number.POSITIVE_INFINITY)) {
    const fault = await fuzzCase(seed + ran, engines)
    if (fault !== undefined) faults.push(fault)
    ran++
  }
  return { ran, faults }
}
