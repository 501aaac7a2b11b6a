/** Other engines as readers of our tables: Spark with Delta, and delta-rs, by the scripts beside the shared tables. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sharedMissing, sharedPath } from '../support/shared.ts'

/** What a reader found in a table at its latest version. */
export interface ReadBack {
  readonly path: string
  readonly version: number
  readonly rows?: readonly Record<string, unknown>[]
  readonly rowsError?: unknown
  readonly error?: unknown
  readonly properties?: Readonly<Record<string, string>>
}

const home = process.env.ORACLE_HOME ?? ''
const python = join(home, 'venv/bin/python')

/** The sentence a test skips with where the readers are not here. */
export function oracleMissing(): string | undefined {
  if (home === '' || !existsSync(python)) return 'ORACLE_HOME names no folder with Spark and delta-rs in it'
  return sharedMissing('oracle')
}

/** What Spark answers to a statement. */
export interface SparkAnswer {
  readonly rows?: readonly Record<string, unknown>[]
  readonly error?: { readonly class: string; readonly sqlState?: string; readonly message?: string }
}

/** Statements run by Spark in one session, one after the other; one that fails stops none behind it. */
export function runOnSpark(statements: readonly string[]): SparkAnswer[] {
  const input = statements.map((sql, id) => JSON.stringify({ sql, id })).join('\n')
  const { stdout, stderr, status } = spawnSync(python, [sharedPath('oracle', 'spark_sql.py')], {
    encoding: 'utf8',
    input: `${input}\n`,
    maxBuffer: 1 << 30,
  })
  if (status !== 0) throw new Error(`spark_sql.py ended with ${status}: ${stderr.slice(-2000)}`)
  const answers = stdout.split('\n').filter((line) => line.startsWith('{'))
  const found = new Map(answers.map((line) => JSON.parse(line) as SparkAnswer & { id: number }).map((a) => [a.id, a]))
  return statements.map((_, id) => found.get(id)!)
}

export function readBySpark(paths: readonly string[]): Map<string, ReadBack> {
  return read('delta_read.py', paths)
}

export function readByDeltaRs(paths: readonly string[]): Map<string, ReadBack> {
  return read('deltars_read.py', paths)
}

function read(script: string, paths: readonly string[]): Map<string, ReadBack> {
  const { stdout, stderr, status } = spawnSync(python, [sharedPath('oracle', script), ...paths], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })
  if (status !== 0) throw new Error(`${script} ended with ${status}: ${stderr.slice(-2000)}`)
  const found = new Map<string, ReadBack>()
  for (const line of stdout.split('\n')) {
    if (!line.startsWith('{')) continue
    const answer = JSON.parse(line) as ReadBack
    if (typeof answer.path === 'string') found.set(answer.path, answer)
  }
  return found
}
