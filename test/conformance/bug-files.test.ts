/** The tables of public bug reports, by both engines: against a recording where the same table has one, else alike. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { jsEngine } from '../../src/engine/js/index.ts'
import { sharedMissing, sharedPath } from '../support/shared.ts'
import { checkTable } from './check-table.ts'
import { latestAnswer } from './latest-answer.ts'
import { foreignTables, type RecordedTable, tablesBelow } from './recorded-tables.ts'

const missing = sharedMissing('bug-files') ?? sharedMissing('tables')

/** Where no recording is: what the latest version comes to, an error's code or a number of rows. */
const UNRECORDED: ReadonlyMap<string, string> = new Map([
  ['data-reader-escaped-chars', '3 rows'],
  ['delete-re-add-same-file-different-transactions', 'FAILED_READ_FILE.FILE_NOT_EXIST'],
  ['deltalog-state-reconstruction-from-checkpoint-missing-metadata', 'DELTA_STATE_RECOVER_ERROR'],
  ['deltatbl-special-chars-in-partition-column', '10 rows'],
  ['kernel-timestamp-partition-col-ISO8601', '2 rows'],
  ['crc-malformed', 'DELTA_TABLE_NOT_FOUND'],
  ['with-short-dv', '7 rows'],
  ['table_d', 'DELTA_UNSUPPORTED_FEATURES_FOR_READ'],
  ['table_e', 'DELTA_UNSUPPORTED_FEATURES_FOR_READ'],
  ['table_g', 'FAILED_READ_FILE.FILE_NOT_EXIST'],
  ['table-with-dv-small', '8 rows'],
  ['table_failed_last_checkpoint_update', '20 rows'],
])

/** Where a repository keeps its tables → the groups of recordings that are about the same ones. */
const GROUPS: readonly (readonly [string, readonly string[]])[] = [
  ['delta-rs/', ['delta-rs/', 'delta-rs/data_err_logs/']],
  ['delta-kernel-rs/', ['delta-kernel-rs/']],
  ['delta/', ['delta-golden/', 'delta-kernel-rs-golden/', 'delta-spark/']],
]

function recordingOf(path: string, recorded: ReadonlyMap<string, RecordedTable>): RecordedTable | undefined {
  const groups = GROUPS.find(([prefix]) => path.startsWith(prefix))?.[1] ?? []
  const names = groups.flatMap((group) => [`${group}${basename(path)}`, `${group}${basename(path)}/delta`])
  return names.map((name) => recorded.get(name)).find((table) => table !== undefined)
}

if (missing !== undefined) describe('bug-files', () => it.skip(missing, () => {}))
else {
  describe('bug-files', () => {
    const engines = [jsEngine(), duckdbEngine()]
    const below = mkdtempSync(join(tmpdir(), 'bayou-bug-files-'))
    afterAll(async () => {
      for (const engine of engines) await engine.close()
      rmSync(below, { recursive: true })
    })
    const root = sharedPath('bug-files')
    const recorded = new Map(foreignTables().map((table) => [table.name, table]))
    for (const folder of tablesBelow(root)) {
      const path = folder.slice(root.length + 1)
      const table = recordingOf(path, recorded)
      it(path, async () => {
        const answers: string[] = []
        for (const engine of engines) {
          if (table === undefined) answers.push(await latestAnswer(engine, folder))
          else {
            const options = { below: join(below, engine.name), rowVersions: 3, fewer: false }
            expect(await checkTable(engine, { ...table, folder }, options), engine.name).toEqual([])
          }
        }
        if (table !== undefined) return
        expect(answers[0]?.split('\n')[0]).toBe(UNRECORDED.get(basename(path)))
        expect(answers[1]).toBe(answers[0])
      })
    }
  })
}
