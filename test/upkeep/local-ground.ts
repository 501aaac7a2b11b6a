/** A folder of tables on this machine, under a clock that tests move: what the tests of upkeep stand on. */
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Engine } from '../../src/engine/index.ts'
import { rowsOf } from '../../src/engine/index.ts'
import { rowToJson } from '../../src/schema/index.ts'
import { openSession, type Session } from '../../src/session/index.ts'
import { SqlSession } from '../../src/sql/index.ts'
import { HOUR_MS } from '../../src/support/index.ts'
import type { DeltaTable } from '../../src/table/index.ts'

export class LocalGround {
  readonly root = mkdtempSync(join(tmpdir(), 'upkeep-'))
  readonly warnings: string[] = []
  readonly session: Session
  readonly sqlSession: SqlSession
  /** hours the clock is ahead */
  private hours = 0

  constructor(engine: Engine) {
    const clock = { now: () => Date.now() + this.hours * HOUR_MS }
    this.session = openSession({ engine, clock, onWarning: (text) => this.warnings.push(text) })
    const { backend, openStore } = this.session
    this.sqlSession = new SqlSession({ engine, backend, openStore, tables: new Map(), clock })
  }

  path(name: string): string {
    return join(this.root, name)
  }

  table(name: string): Promise<DeltaTable> {
    return this.session.tables.forPath(this.path(name))
  }

  /** The rows of a statement as JSON texts; `$T` is the table `t`, `$W` the folder. */
  async sql(text: string): Promise<string[]> {
    const put = text.replaceAll('$T', `delta.\`${this.path('t')}\``).replaceAll('$W', this.root)
    const { schema, batches } = await this.sqlSession.run(put)
    const lines: string[] = []
    for await (const batch of batches) for (const row of rowsOf(batch)) lines.push(rowToJson(row, schema))
    return lines
  }

  /** Puts the clock ahead of the times that files get. */
  ahead(hours: number): void {
    this.hours = hours
  }

  /** Makes every file older, as if hours had gone by. */
  age(hours: number, name = 't'): void {
    for (const key of this.files(name, () => true)) {
      const path = join(this.path(name), key)
      const time = statSync(path).mtimeMs / 1000 - hours * 3600
      utimesSync(path, time, time)
    }
  }

  /** Keys of the files of a table, those of its log left out. */
  files(name = 't', wanted = (key: string) => !key.startsWith('_delta_log/')): string[] {
    const entries = readdirSync(this.path(name), { recursive: true, withFileTypes: true })
    const keys = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(this.path(name), join(entry.parentPath, entry.name)))
    return keys.filter(wanted).sort()
  }

  async close(): Promise<void> {
    await this.sqlSession.close()
    await this.session.close()
    rmSync(this.root, { recursive: true })
  }
}

/** The rows of a table, or of a version of it, as sorted JSON texts. */
export async function sorted(table: DeltaTable): Promise<string[]> {
  const text = (row: unknown) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  return (await table.rows()).map(text).sort()
}
