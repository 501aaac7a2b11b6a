/** Every recorded history, done again by commands on one engine. */
import { afterAll, describe, expect, it, test } from 'vitest'
import type { Engine } from '../../src/engine/index.ts'
import { sharedMissing } from '../support/shared.ts'
import { unknownOf } from './known-differences.ts'
import { recordedScripts } from './recorded-statements.ts'
import { replay } from './replay.ts'

export function replayAll(engine: Engine): void {
  const missing = sharedMissing('tables-spark')
  const reached = { whole: 0, statements: 0, versions: 0 }
  describe(`a recorded history done again by commands, engine ${engine.name}`, () => {
    if (missing !== undefined) return it.skip(missing, () => {})
    const scripts = recordedScripts()
    afterAll(async () => {
      const { whole, statements, versions } = reached
      console.log(
        `${statements} statements, ${versions} versions; ${whole} of ${scripts.length} histories to their end`,
      )
      await engine.close()
    })
    test.each(scripts.map((script) => [script.name, script] as const))('%s', async (name, script) => {
      const { differences, performed, versions, stoppedAt } = await replay(script, engine)
      reached.statements += performed
      reached.versions += versions
      if (stoppedAt === undefined) reached.whole++
      expect(unknownOf(name, differences)).toEqual([])
    })
  })
}
