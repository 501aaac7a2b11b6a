/** A recorded script run again, statement by statement, through a session of SQL on a folder of its own. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openLocation } from '../../src/catalog/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { type SqlResult, SqlSession } from '../../src/sql/index.ts'
import type { ObjectStore } from '../../src/storage/index.ts'
import { localBackend } from '../../src/table/index.ts'
import { compareCommit } from './compare-commit.ts'
import { compareResult, readResult } from './compare-result.ts'
import { compareState } from './compare-state.ts'
import { leftOut } from './known-differences.ts'
import { type PythonPlace, runPython } from './python-steps.ts'
import type { RecordedScript, RecordedStatement } from './recorded-statements.ts'

export interface Replay {
  readonly statements: number
  /** statements that gave what the reference gave, or were refused as it refused them */
  readonly ran: number
  /** versions compared */
  readonly versions: number
  readonly differences: readonly string[]
  /** steps in Python that are not done, with the reason */
  readonly skipped: readonly string[]
  /** the statement behind which the versions are no longer the recorded ones */
  readonly stoppedAt?: string
}

/** @param folder made for the script; its table is the folder `table` in it */
export async function replay(script: RecordedScript, engine: Engine, folder: string): Promise<Replay> {
  return await new Replayer(script, engine, folder).run()
}

class Replayer {
  private readonly script: RecordedScript
  private readonly engine: Engine
  private readonly folder: string
  private readonly path: string
  private readonly differences: string[] = []
  private readonly skipped: string[] = []
  private readonly settings: string[] = []
  private session: SqlSession
  private ran = 0
  private versions = 0
  /** the newest version made here; -1 before the first */
  private version = -1

  constructor(script: RecordedScript, engine: Engine, folder: string) {
    this.script = script
    this.engine = engine
    this.folder = folder
    this.path = join(folder, 'table')
    this.session = this.openSession()
  }

  async run(): Promise<Replay> {
    mkdirSync(this.folder, { recursive: true })
    const { statements } = this.script
    for (const statement of statements) {
      if (leftOut.get(this.script.name)?.includes(statement.n)) {
        this.skipped.push(`statement ${statement.n}: the reference ends in an internal error, it runs here`)
        continue
      }
      const before = this.differences.length
      const goesOn = await this.step(statement)
      if (this.differences.length === before) this.ran++
      if (!goesOn) return { ...this.result(), stoppedAt: `${statement.n}: ${titleOf(statement)}` }
    }
    return this.result()
  }

  private result(): Replay {
    const { ran, versions, differences, skipped } = this
    return { statements: this.script.statements.length, ran, versions, differences, skipped }
  }

  private openSession(): SqlSession {
    const { engine } = this
    const openStore = async (location: string) => openLocation(location)
    const backend = localBackend({ openStore, engine })
    return new SqlSession({ engine, backend, openStore, tables: new Map() })
  }

  /** @returns false where the script cannot be followed behind the statement */
  private async step(statement: RecordedStatement): Promise<boolean> {
    const outcome = await this.outcomeOf(() => this.perform(statement))
    this.compareRefusal(statement, outcome)
    if (Array.isArray(outcome)) this.note(statement, outcome)
    return await this.compareVersions(statement)
  }

  /** @returns differences in what it gave */
  private async perform(statement: RecordedStatement): Promise<string[]> {
    const { sql, py } = statement
    if (py !== undefined) return await this.performPython(statement, py)
    const text = this.placed(sql!)
    const result = await this.session.run(text)
    const read = await readResult(result)
    if (/^\s*SET\s/i.test(text)) this.settings.push(text)
    return compareResult(read, statement, (row) => this.recordedPlace(row))
  }

  private async performPython(statement: RecordedStatement, py: string): Promise<string[]> {
    const outcome = await runPython(py, statement, this.place())
    if (outcome.kind === 'skipped') {
      this.skipped.push(`step ${statement.n}: ${outcome.reason}`)
      return []
    }
    await this.reopen()
    return [...outcome.differences]
  }

  private place(): PythonPlace {
    return {
      name: this.script.name,
      recorded: join(this.script.folder, 'table'),
      table: this.path,
      folder: this.folder,
      run: async (sql: string): Promise<SqlResult> => await this.session.run(this.placed(sql)),
      openStore: async (location: string): Promise<ObjectStore> => openLocation(location),
      engine: this.engine,
    }
  }

  /** Files were changed behind the session's back. */
  private async reopen(): Promise<void> {
    await this.session.close()
    this.session = this.openSession()
    for (const text of this.settings) await this.session.run(text)
  }

  private recordedPlace(text: string): string {
    return text.replaceAll(this.folder, `/golden/${this.script.name}`)
  }

  private placed(text: string): string {
    return text.replaceAll('$T', `delta.\`${this.path}\``).replaceAll('$P', this.path).replaceAll('$W', this.folder)
  }

  private async outcomeOf(work: () => Promise<string[]>): Promise<string[] | Refusal> {
    try {
      return await work()
    } catch (error) {
      if (isDeltaError(error)) return { code: error.code, sqlState: error.sqlState, message: error.message }
      throw error
    }
  }

  private compareRefusal(statement: RecordedStatement, outcome: string[] | Refusal): void {
    const { error } = statement
    const refused = Array.isArray(outcome) ? undefined : outcome
    if (refused === undefined && error === undefined) return
    const same = refused !== undefined && error !== undefined && isSameRefusal(refused, error)
    if (same) return
    const ours =
      refused === undefined ? 'accepted' : `${refused.code} ${refused.sqlState} (${refused.message.slice(0, 300)})`
    const theirs = error === undefined ? 'accepted' : `${error.class ?? 'no class'} ${error.sqlState ?? 'no state'}`
    this.note(statement, [`${ours} instead of ${theirs}`])
  }

  private note(statement: RecordedStatement, differences: readonly string[]): void {
    for (const text of differences) this.differences.push(`statement ${statement.n}, ${titleOf(statement)}: ${text}`)
  }

  private async compareVersions(statement: RecordedStatement): Promise<boolean> {
    const made = statement.newVersions ?? []
    const newest = this.newestVersion()
    const count = newest - this.version
    if (count !== made.length) this.note(statement, [`${count} versions instead of ${made.length}`])
    const store = openLocation(this.path)
    for (const [i, theirs] of made.entries()) {
      const version = this.version + 1 + i
      if (version > newest) continue
      const recorded = this.script.versions.get(theirs)
      if (!existsSync(join(this.path, '_delta_log', `${String(version).padStart(20, '0')}.json`))) {
        // the statement has cleaned up behind itself, as the reference's has
        const isGone = recorded === undefined || recorded.error !== undefined
        if (!isGone) this.note(statement, [`version ${theirs} is gone`])
        continue
      }
      if (recorded !== undefined) {
        this.versions++
        this.note(
          statement,
          (await compareState(this.engine, store, { version, recorded })).map((text) => `version ${theirs}: ${text}`),
        )
      }
      const place = (text: string) => this.recordedPlace(text)
      const commit = await compareCommit(store, { version, recorded: this.script.history.get(theirs), place })
      this.note(
        statement,
        commit.map((text) => `version ${theirs}: ${text}`),
      )
    }
    this.version = newest
    return count === made.length
  }

  private newestVersion(): number {
    const log = join(this.path, '_delta_log')
    if (!existsSync(log)) return -1
    const versions = readdirSync(log).flatMap((name) => /^(\d{20})\.json$/.exec(name)?.[1] ?? [])
    return Math.max(this.version, ...versions.map(Number))
  }
}

function titleOf({ sql, py }: RecordedStatement): string {
  const text = (sql ?? py ?? '').replaceAll(/\s+/g, ' ')
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

interface Refusal {
  readonly code: string
  readonly sqlState: string
  readonly message: string
}

/** Classes of the reference's that are no more than a number, or a plain exception, name nothing to compare. */
function isSameRefusal({ code, sqlState }: Refusal, recorded: NonNullable<RecordedStatement['error']>): boolean {
  const { class: theirs, sqlState: state } = recorded
  if (theirs === null || theirs === undefined) return true
  return code === theirs && (state === null || state === undefined || state === sqlState)
}
