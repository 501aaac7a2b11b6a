/** The statements a recorded table was made with, and what each gave: `expected.json` of the folder `tables-spark`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedVersion } from '../conformance/recorded-tables.ts'
import { sharedPath } from '../support/shared.ts'

export interface RecordedStatement {
  readonly n: number
  /** absent for a step in Python */
  readonly sql?: string
  readonly newVersions?: readonly number[]
  readonly error?: { readonly class?: string | null; readonly sqlState?: string | null; readonly message: string }
}

export interface RecordedCommitInfo {
  readonly version: number
  readonly operation: string
  readonly operationParameters: Readonly<Record<string, unknown>>
  readonly isBlindAppend?: boolean
}

export interface RecordedScript {
  readonly name: string
  readonly statements: readonly RecordedStatement[]
  readonly versions: ReadonlyMap<number, RecordedVersion>
  readonly history: ReadonlyMap<number, RecordedCommitInfo>
}

interface RawScript {
  readonly statements?: readonly RecordedStatement[]
  readonly versions?: Readonly<Record<string, RecordedVersion>>
  readonly history?: readonly RecordedCommitInfo[]
}

/** Every table of `tables-spark` that was made by statements. */
export function recordedScripts(): RecordedScript[] {
  const folder = sharedPath('tables-spark')
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'script.sql')))
    .map((name) => {
      const raw = JSON.parse(readFileSync(join(folder, name, 'expected.json'), 'utf8')) as RawScript
      return {
        name,
        statements: raw.statements ?? [],
        versions: new Map(Object.entries(raw.versions ?? {}).map(([version, facts]) => [Number(version), facts])),
        history: new Map((raw.history ?? []).map((commit) => [commit.version, commit])),
      }
    })
}
