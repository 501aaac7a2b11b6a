/** Every recorded history, done again by a session of statements on one engine. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, test } from 'vitest'
import type { Engine } from '../../src/engine/index.ts'
import { repositoryRoot, sharedMissing, sharedPath } from '../support/shared.ts'
import { unknownOf } from './known-differences.ts'
import { recordedScripts } from './recorded-statements.ts'
import { replay } from './replay.ts'

/** Another folder of scripts and recordings of the same form, tried with nothing known of it. */
const FOLDER = process.env.BAYOU_REPLAY

/** Scripts whose tables are read too, and scripts of which only what the statements gave was kept. */
const OWN = [sharedPath('tables-spark'), join(repositoryRoot, 'test/fixtures/statements-spark')]

export function replayAll(engine: Engine): void {
  const missing = FOLDER === undefined ? sharedMissing('tables-spark') : undefined
  describe(`recorded scripts run again as statements, engine ${engine.name}`, () => {
    if (missing !== undefined) return it.skip(missing, () => {})
    const scripts = FOLDER === undefined ? OWN.flatMap(recordedScripts) : recordedScripts(FOLDER)
    const root = mkdtempSync(join(tmpdir(), 'bayou-replay-'))
    const total = { whole: 0, same: 0, statements: 0, ran: 0, versions: 0 }
    const skipped: string[] = []
    afterAll(async () => {
      rmSync(root, { recursive: true, force: true })
      const { whole, same, statements, ran, versions } = total
      console.log(
        `engine ${engine.name}: ${ran} of ${statements} statements run, ${versions} versions compared; ` +
          `${whole} of ${scripts.length} scripts to their end, ${same} of them without a difference\n${skipped.join('\n')}`,
      )
      await engine.close()
    })
    test.each(scripts.map((script) => [script.name, script] as const))(
      '%s',
      { timeout: 60_000 },
      async (name, script) => {
        const outcome = await replay(script, engine, join(root, name))
        const { differences, statements, ran, versions, stoppedAt } = outcome
        total.statements += statements
        total.ran += ran
        total.versions += versions
        if (stoppedAt === undefined) total.whole++
        if (stoppedAt === undefined && differences.length === 0) total.same++
        skipped.push(...outcome.skipped.map((text) => `skipped: ${name}, ${text}`))
        const all = stoppedAt === undefined ? differences : [...differences, `stopped at ${stoppedAt}`]
        const unknown = unknownOf(name, engine.name, all)
        // a list in an assertion is cut short
        if (unknown.length > 0) expect.fail(unknown.join('\n'))
      },
    )
  })
}
