/** A recorded history done again, statement by statement, as far as commands go. */
import type { Engine } from '../../src/engine/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import type { Statement } from '../../src/sql/parser/index.ts'
import { parseStatement } from '../../src/sql/parser/index.ts'
import { memoryStore } from '../../src/storage/index.ts'
import { localBackend } from '../../src/table/index.ts'
import { compareCommit } from './compare-commit.ts'
import { compareState } from './compare-state.ts'
import { commandOf } from './perform.ts'
import type { RecordedScript, RecordedStatement } from './recorded-statements.ts'

export interface Replay {
  /** statements carried out, and those refused as they were recorded */
  readonly performed: number
  /** versions compared */
  readonly versions: number
  readonly differences: readonly string[]
  /** the statement that no command does, where the replay ends before the history does */
  readonly stoppedAt?: string
}

export const LOCATION = '/golden/table'

export async function replay(script: RecordedScript, engine: Engine): Promise<Replay> {
  return await new Replayer(script, engine).run()
}

class Replayer {
  private readonly script: RecordedScript
  private readonly engine: Engine
  private readonly store = memoryStore({ location: LOCATION })
  private readonly differences: string[] = []
  private performed = 0
  private versions = 0
  /** the newest version made here; -1 before the first */
  private version = -1

  constructor(script: RecordedScript, engine: Engine) {
    this.script = script
    this.engine = engine
  }

  async run(): Promise<Replay> {
    const backend = localBackend({ openStore: async () => this.store, engine: this.engine })
    for (const statement of this.script.statements) {
      const stop = await this.step(statement, backend)
      if (stop) return { ...this.result(), stoppedAt: `${statement.n}: ${(statement.sql ?? 'Python').slice(0, 60)}` }
    }
    return this.result()
  }

  private result(): Replay {
    return { performed: this.performed, versions: this.versions, differences: this.differences }
  }

  /** @returns whether the history cannot be followed behind the statement */
  private async step(statement: RecordedStatement, backend: ReturnType<typeof localBackend>): Promise<boolean> {
    const made = statement.newVersions ?? []
    const command = this.commandFor(statement)
    if (command === undefined) return made.length > 0
    const refused = await refusalOf(() => backend.execute(command))
    this.performed++
    this.compareRefusal(statement, refused)
    if (refused !== undefined || statement.error !== undefined) return refused === undefined || made.length > 0
    await this.compareVersions(statement, made)
    return false
  }

  private commandFor({ sql, error }: RecordedStatement): ReturnType<typeof commandOf> {
    if (sql === undefined) return undefined
    const text = sql.replaceAll('$T', `delta.\`${LOCATION}\``).replaceAll('$P', LOCATION)
    let statement: Statement
    try {
      statement = parseStatement(text)
    } catch (cause) {
      if (!isDeltaError(cause)) throw cause
      if (error === undefined) this.differences.push(`${sql.slice(0, 80)} is not read: ${cause.message}`)
      return undefined
    }
    return commandOf(statement, LOCATION)
  }

  private compareRefusal({ n, sql, error }: RecordedStatement, refused: Refusal | undefined): void {
    const ours = refused === undefined ? 'accepted' : `${refused.code} ${refused.sqlState}`
    const theirs = error === undefined ? 'accepted' : `${error.class ?? 'no class'} ${error.sqlState ?? 'no state'}`
    const sameClass = refused !== undefined && error !== undefined && refused.code === error.class
    const same = error === undefined ? refused === undefined : sameClass && matchesState(refused, error.sqlState)
    if (!same) this.differences.push(`statement ${n}, ${sql?.slice(0, 100)}: ${ours} instead of ${theirs}`)
  }

  private async compareVersions({ n, sql }: RecordedStatement, made: readonly number[]): Promise<void> {
    const newest = await this.newestVersion()
    const count = newest - this.version
    if (count !== made.length) {
      this.differences.push(`statement ${n}, ${sql?.slice(0, 100)}: ${count} versions instead of ${made.length}`)
    }
    for (const [i, theirs] of made.entries()) {
      const version = this.version + 1 + i
      const recorded = this.script.versions.get(theirs)
      if (recorded === undefined || version > newest) continue
      this.versions++
      const found = [
        ...(await compareState(this.engine, this.store, { version, recorded })),
        ...(await compareCommit(this.store, version, this.script.history.get(theirs))),
      ]
      this.differences.push(...found.map((text) => `version ${theirs} (statement ${n}): ${text}`))
    }
    this.version = newest
  }

  private async newestVersion(): Promise<number> {
    let newest = -1
    for await (const page of this.store.list({ prefix: '_delta_log/' })) {
      for (const { key } of page) {
        const match = /^_delta_log\/(\d{20})\.json$/.exec(key)
        if (match !== null) newest = Math.max(newest, Number(match[1]))
      }
    }
    return newest
  }
}

interface Refusal {
  readonly code: string
  readonly sqlState: string
}

async function refusalOf(work: () => Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (isDeltaError(error)) return { code: error.code, sqlState: error.sqlState }
    throw error
  }
}

/** Classes of the reference's that are no more than a number have no state there. */
function matchesState({ sqlState }: Refusal, recorded: string | null | undefined): boolean {
  return recorded === null || recorded === undefined || sqlState === recorded
}
