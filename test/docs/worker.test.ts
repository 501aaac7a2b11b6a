/** The page of settings and the declarations say the same; the sentences promised to users are the ones thrown. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { settingsPage } from '../../scripts/docs.mjs'
import { catalogue } from '../../src/errors/index.ts'
import { repositoryRoot, sharedMissing, sharedPath } from '../support/shared.ts'

test('docs/worker-settings.md is what the declarations give (node scripts/docs.mjs writes it)', () => {
  expect(readFileSync(join(repositoryRoot, 'docs/worker-settings.md'), 'utf8')).toBe(settingsPage())
})

/** As the page of the destination shows them: … stands for a value, and at the end for words of our own. */
const SENTENCES: readonly (readonly [code: keyof typeof catalogue, sentence: string])[] = [
  ['WORKER_CONFIG_RECORDS_DIFFER', 'the routes writing here write different records, and a table has one schema'],
  ['WORKER_TABLE_FIELD_TYPE', '… is … in the table, and the record writes … there as …'],
  ['WORKER_TABLE_NOT_NULLABLE', "the table's column … is not nullable …"],
  ['WORKER_TABLE_PROTOCOL', 'the table needs writer version …, reader version …, or the writer feature …'],
  ['WORKER_TABLE_MAPPING', 'the table maps columns by id, which this writer does not'],
  ['WORKER_TABLE_CONSTRAINT', 'the table has the check constraint …'],
  ['WORKER_TABLE_COLUMN_RULE', "the table's column … carries …, which this writer cannot honour"],
  ['WORKER_TABLE_PARTITION_TYPE', 'the table is partitioned by …, a … column …'],
  [
    'WORKER_TABLE_CHANGED',
    "another writer dropped a column the record writes, changed the table's partitioning, or another table replaced the one at its location",
  ],
  ['WORKER_COMMIT_LOST', 'commit lost to another writer 8 times over'],
  ['WORKER_ACCESS_DENIED', 'Access denied writing to storage'],
  ['WORKER_CONFIG_NO_TABLE', 'names both a location and a unityCatalog table, or names no table'],
  ['WORKER_CONFIG_NO_REGION', 'names no region beside a unityCatalog table'],
  ['WORKER_CONFIG_BESIDE_UNITY', 'names … beside a unityCatalog table'],
  [
    'WORKER_CREDENTIAL_MISSING',
    'the delta destination takes its client secret from …, which this worker does not have',
  ],
]

describe('sentences', () => {
  test.each(SENTENCES)('%s', (code, sentence) => {
    const own = catalogue[code].message.replace('takes its {what}', 'takes its client secret').replace(/\{\w+\}/g, '…')
    if (sentence.endsWith(' …')) expect(own.startsWith(sentence.slice(0, -2))).toBe(true)
    else expect(own).toBe(sentence)
  })

  const missing = sharedMissing('seeds')
  if (missing !== undefined) console.log(`skipped: ${missing}`)
  test.skipIf(missing !== undefined)('are those of the page', () => {
    const page = readFileSync(sharedPath('seeds', '000-delta-destination.txt'), 'utf8')
    const lines = page.split('\n').map((line) => line.trim())
    expect(SENTENCES.map(([, sentence]) => sentence).filter((sentence) => !lines.includes(sentence))).toEqual([])
  })
})
