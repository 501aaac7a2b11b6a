/** Whether the worker starts on tables of other engines, decided without writing to them. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { checkWorker, parseWorkerConfig } from '../../src/worker/index.ts'
import { sharedMissing, sharedPath } from '../support/shared.ts'

interface ListedTable {
  readonly table: string
  /** null: no version of it can be read */
  readonly protocol: {
    readonly r: number
    readonly w: number
    readonly rf: string[] | null
    readonly wf: string[] | null
  } | null
}

const KNOWN = new Set(
  'appendOnly invariants checkConstraints changeDataFeed columnMapping v2Checkpoint domainMetadata deletionVectors vacuumProtocolCheck timestampNtz'.split(
    ' ',
  ),
)

/** Codes that say the table itself cannot be read, which other tests look into. */
const UNREADABLE = /^(DELTA_|FAILED_READ_FILE|LAKE_JSON_MALFORMED)/

const configFor = (location: string) =>
  parseWorkerConfig({
    name: 'w',
    sources: [{ id: 's', type: 'generator', schema: 'a_column_of_the_worker BIGINT' }],
    routes: [{ source: 's', destination: 'd' }],
    destinations: [{ id: 'd', type: 'delta', location }],
  })

const missing = sharedMissing('tables')
if (missing !== undefined) console.log(`skipped: ${missing}`)

describe.skipIf(missing !== undefined)('tables of other engines', () => {
  it('are each taken or refused by a sentence of their own', async () => {
    const tables = JSON.parse(readFileSync(sharedPath('tables', 'manifest.json'), 'utf8')) as ListedTable[]
    const engine = duckdbEngine({})
    const outcomes = new Map<string, number>()
    const wrong: string[] = []
    try {
      for (const { table, protocol } of tables) {
        const location = sharedPath('tables', table)
        const before = listing(location)
        const [fault] = await checkWorker(configFor(location), { engine })
        const code = fault?.code ?? 'starts'
        outcomes.set(code, (outcomes.get(code) ?? 0) + 1)
        const isKnown = [...(protocol?.rf ?? []), ...(protocol?.wf ?? [])].every((name) => KNOWN.has(name))
        if (!isKnown && code !== 'WORKER_TABLE_PROTOCOL' && !UNREADABLE.test(code)) wrong.push(`${table}: ${code}`)
        if (code === 'WORKER_TABLE_PROTOCOL' && isKnown && protocol !== null && protocol.r <= 3 && protocol.w <= 7)
          wrong.push(`${table}: ${fault?.message}`)
        if (fault !== undefined && !code.startsWith('WORKER_TABLE') && !UNREADABLE.test(code))
          wrong.push(`${table}: ${fault.message}`)
        expect(listing(location)).toEqual(before)
      }
    } finally {
      await engine.close()
    }
    console.log([...outcomes].map(([code, count]) => `${count} ${code}`).join(', '))
    expect(wrong).toEqual([])
    expect(outcomes.get('starts')).toBeGreaterThan(50)
  }, 600_000)
})

function listing(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => `${name} ${statSync(`${folder}/${name}`).size}`)
    .sort()
}
