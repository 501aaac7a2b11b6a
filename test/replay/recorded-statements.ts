/**
 * The scripts recorded tables were made with, and what each statement gave: `script.sql` and `expected.json` of a folder
 * such as `tables-spark`.
 *
 * The script has statements that end with a semicolon at the end of a line; `--!fails` before one that is refused;
 * `--!py` to `--!end` around a step in Python.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedCommit, RecordedVersion } from '../conformance/recorded-tables.ts'

export interface RecordedStatement {
  readonly n: number
  /** absent for a step in Python */
  readonly sql?: string
  readonly py?: string
  readonly newVersions?: readonly number[]
  readonly columns?: readonly { readonly name: string; readonly type: unknown }[]
  readonly rows?: readonly Readonly<Record<string, unknown>>[]
  /** what a step in Python found */
  readonly result?: unknown
  readonly error?: { readonly class?: string | null; readonly sqlState?: string | null; readonly message: string }
}

export interface RecordedScript {
  readonly name: string
  /** where the script and the recorded table lie */
  readonly folder: string
  readonly statements: readonly RecordedStatement[]
  readonly versions: ReadonlyMap<number, RecordedVersion>
  readonly history: ReadonlyMap<number, RecordedCommit>
}

interface RawVersion extends RecordedVersion {
  readonly rowsError?: RecordedVersion['error']
  readonly factsError?: RecordedVersion['error']
}

interface RawScript {
  readonly statements?: readonly RecordedStatement[]
  readonly versions?: Readonly<Record<string, RawVersion>>
  readonly history?: readonly RecordedCommit[]
}

/** Every table of a folder that was made by a script of statements. */
export function recordedScripts(folder: string): RecordedScript[] {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'script.sql')))
    .map((name) => recordedScript(name, join(folder, name)))
}

function recordedScript(name: string, folder: string): RecordedScript {
  const raw = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as RawScript
  const recorded = raw.statements ?? []
  const steps = scriptSteps(readFileSync(join(folder, 'script.sql'), 'utf8'))
  if (steps.length !== recorded.length) throw new Error(`${name}: ${steps.length} steps, ${recorded.length} recorded`)
  const versions = Object.entries(raw.versions ?? {}).map(([version, { rowsError, factsError, ...facts }]) => {
    const error = rowsError ?? factsError
    return [Number(version), error === undefined ? facts : { ...facts, error }] as const
  })
  return {
    name,
    folder,
    statements: recorded.map((step, i) => ({ ...step, ...steps[i]! })),
    versions: new Map(versions),
    history: new Map((raw.history ?? []).map((commit) => [commit.version, commit])),
  }
}

type Step = { readonly sql: string } | { readonly py: string }

/** The statements and steps of a script, in order. */
export function scriptSteps(text: string): Step[] {
  const steps: Step[] = []
  let python: string[] | undefined
  let statement: string[] = []
  for (const line of text.split('\n')) {
    const trimmed = line.trim()
    if (python !== undefined) {
      if (trimmed !== '--!end') python.push(line)
      else {
        steps.push({ py: python.join('\n') })
        python = undefined
      }
    } else if (statement.length === 0 && trimmed === '--!py') python = []
    else if (statement.length > 0 || (trimmed !== '' && !trimmed.startsWith('--'))) {
      statement.push(line)
      if (!trimmed.endsWith(';')) continue
      steps.push({ sql: statement.join('\n').trim().slice(0, -1) })
      statement = []
    }
  }
  return statement.length === 0 ? steps : [...steps, { sql: statement.join('\n').trim() }]
}
