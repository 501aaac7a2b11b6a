/**
 * The recorded histories of the reference in which features are dropped, done again statement by statement: the same
 * versions, told of in the same words, the same protocols, properties, rows and refusals, the same checkpoints kept.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { compareCommit } from '../replay/compare-commit.ts'
import { compareState } from '../replay/compare-state.ts'
import { type RecordedScript, type RecordedStatement, recordedScripts } from '../replay/recorded-statements.ts'
import { sharedMissing, sharedPath } from '../support/shared.ts'
import { LOCATION, TableInMemory } from './table-in-memory.ts'

const engine = duckdbEngine()
afterAll(() => engine.close())

/** Histories that cannot be done again as statements, and what of them is tested elsewhere. */
const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  [
    'drop-errors-nonremovable',
    'a row of it holds parse_json, which no VALUES takes; its refusals are tested by themselves',
  ],
  ['drop-materialize-partition-columns', 'no table with this feature is made here'],
])

class Redone {
  readonly differences: string[] = []
  private readonly script: RecordedScript
  private readonly table: TableInMemory

  constructor(script: RecordedScript) {
    this.script = script
    this.table = new TableInMemory(engine)
  }

  async run(): Promise<void> {
    for (const statement of this.script.statements) {
      const { n, py } = statement
      const from = (await this.table.versions()).at(-1) ?? -1
      const sql = statement.sql ?? /run\("(.*?)"\)/.exec(py ?? '')?.[1]
      if (py?.includes('checkpoint()')) await this.table.table().checkpoint()
      if (sql !== undefined) this.compareAnswer(statement, await this.answer(sql))
      await this.compareVersions(statement, from)
      if (py?.includes('log_files()')) await this.compareLog(n, listingIn(statement.result as readonly unknown[]))
      const hours = /age\((\d+)\)/.exec(py ?? '')?.[1]
      if (hours !== undefined) this.table.wait(Number(hours))
    }
  }

  /** @returns code and state of a refusal, else `accepted` */
  private async answer(sql: string): Promise<string> {
    try {
      await this.table.run(sql)
      return 'accepted'
    } catch (error) {
      if (isDeltaError(error)) return `${error.code} ${error.sqlState}`
      throw error
    }
  }

  private compareAnswer({ n, error, result }: RecordedStatement, ours: string): void {
    const first = Array.isArray(result) ? (result[0] as { error?: RecordedStatement['error'] }) : undefined
    const refused = error ?? (typeof first === 'object' ? first.error : undefined)
    const theirs = refused === undefined ? 'accepted' : `${refused.class} ${refused.sqlState}`
    if (ours !== theirs) this.differences.push(`statement ${n}: ${ours} instead of ${theirs}`)
  }

  private async compareVersions({ n, newVersions = [] }: RecordedStatement, from: number): Promise<void> {
    const made = (await this.table.versions()).filter((version) => version > from)
    if (made.join() !== newVersions.join()) {
      this.differences.push(`statement ${n}: versions ${made.join()} instead of ${newVersions.join()}`)
    }
    for (const version of made) {
      const recorded = this.script.versions.get(version)
      const found = await compareCommit(this.table.store, {
        version,
        recorded: this.script.history.get(version),
        place: (text) => text.replaceAll(LOCATION, `/golden/${this.script.name}/table`),
      })
      if (recorded !== undefined && recorded.error === undefined) {
        found.push(...(await compareState(engine, this.table.store, { version, recorded })))
      }
      this.differences.push(...found.map((text) => `version ${version}: ${text}`))
    }
  }

  private async compareLog(n: number, recorded: readonly string[]): Promise<void> {
    const commits = (names: readonly string[]) =>
      names.filter((name) => /^\d+\.json$/.test(name)).map((name) => Number(name.slice(0, 20)))
    const [ours, theirs] = [commits(await this.table.logNames()), commits(recorded)]
    if (ours.join() !== theirs.join())
      this.differences.push(`statement ${n}: the log holds ${ours} instead of ${theirs}`)
  }
}

/** The names of a log's files, which a step gives alone or behind the answer of a statement. */
function listingIn(result: readonly unknown[]): readonly string[] {
  const last = result.at(-1)
  return (Array.isArray(last) ? last : result) as readonly string[]
}

const missing = sharedMissing('tables-spark')
const scripts =
  missing === undefined
    ? recordedScripts(sharedPath('tables-spark')).filter(({ name }) => name.startsWith('drop-'))
    : []

describe('a recorded history done again', () => {
  if (missing !== undefined) test.skip(missing, () => {})
  for (const [name, reason] of LEFT_OUT) test.skip(`${name}: ${reason}`, () => {})
  const told = scripts.filter(({ name }) => !LEFT_OUT.has(name))
  test.each(told.map((script) => [script.name, script] as const))('%s', async (_, script) => {
    const redone = new Redone(script)
    await redone.run()
    expect(redone.differences).toEqual([])
  })
})
