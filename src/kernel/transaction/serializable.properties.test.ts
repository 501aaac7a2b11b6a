import fc from 'fast-check'
import { expect, test } from 'vitest'
import { field, longType, stringType, structType } from '../../schema/index.ts'
import { memoryStore, type ObjectStore } from '../../storage/index.ts'
import { collect } from '../../support/index.ts'
import type { AddFile } from '../actions/actions.ts'
import type { SkippingRule } from '../scan/skipping-rule.ts'
import { loadSnapshot } from '../snapshot/load.ts'
import { jsonLogEngine } from '../snapshot/test-log.ts'
import { createTable } from './create-table.ts'
import { beginTransaction } from './transaction.ts'

const schema = structType([field('id', longType), field('country', stringType)])

type Step = { readonly kind: 'append' | 'replace' | 'compact'; readonly country: string }

/** A step that landed: what the table must look like right after its version. */
interface Landed extends Step {
  readonly version: number
  readonly path: string
  /** the files it took out */
  readonly removed: readonly string[]
}

function file(path: string, country: string, dataChange: boolean): AddFile {
  const partitionValues = new Map([['country', country]])
  return { path, partitionValues, size: 1, modificationTime: 0, dataChange, stats: '{"numRecords":1}' }
}

function isCountry(country: string): SkippingRule {
  const column = { path: ['country'], name: ['country'], type: stringType, partition: true }
  return { kind: 'compare', column, op: '=', value: country }
}

async function filesOf(store: ObjectStore, version: number | undefined, country: string): Promise<AddFile[]> {
  const snapshot = await loadSnapshot(store, jsonLogEngine, version === undefined ? {} : { version })
  return (await collect(snapshot.files.select(isCountry(country)))).flat()
}

/** One step of a writer; a conflict makes it start anew, as an operation would. */
async function run(store: ObjectStore, step: Step, path: string): Promise<Landed> {
  for (;;) {
    const snapshot = await loadSnapshot(store, jsonLogEngine)
    const live = (await collect(snapshot.files.select(isCountry(step.country)))).flat()
    const start = beginTransaction(snapshot, { operation: step.kind })
    const added = file(path, step.country, step.kind !== 'compact')
    const transaction =
      step.kind === 'append'
        ? start.addFiles([added])
        : step.kind === 'replace'
          ? start.reads(isCountry(step.country), live).removeFiles(live).addFiles([added])
          : start.removeFiles(live, { dataChange: false }).addFiles([added])
    const outcome = await transaction.commit({ firstDelayMs: 0 })
    if (outcome.kind === 'committed') {
      const removed = step.kind === 'append' ? [] : live.map((f) => f.path)
      return { ...step, version: outcome.version, path, removed }
    }
    if (outcome.kind === 'unknown') throw outcome.cause
  }
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('append', 'replace', 'compact'),
  country: fc.constantFrom('DE', 'FR'),
})

test('whatever the order of their calls, writers leave what some order of whole steps would', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 4 }),
      async (s, writers) => {
        const store = memoryStore()
        await createTable(
          store,
          jsonLogEngine,
          { schema, partitionColumns: ['country'] },
          { operation: 'CREATE TABLE' },
        )
        const slow: ObjectStore = {
          ...store,
          get: s.scheduleFunction((...args: Parameters<ObjectStore['get']>) => store.get(...args)),
          putIfAbsent: s.scheduleFunction((...args: Parameters<ObjectStore['putIfAbsent']>) =>
            store.putIfAbsent(...args),
          ),
        }
        const work = writers.map(async (steps, w) => {
          const landed: Landed[] = []
          for (const [i, one] of steps.entries()) landed.push(await run(slow, one, `w${w}-${i}`))
          return landed
        })
        const landed = (await s.waitFor(Promise.all(work))).flat().sort((a, b) => a.version - b.version)
        expect(landed.map(({ version }) => version)).toEqual(landed.map((_, i) => i + 1))
        for (const { kind, version, country, path, removed } of landed) {
          const before = (await filesOf(store, version - 1, country)).map((f) => f.path)
          const after = (await filesOf(store, version, country)).map((f) => f.path)
          for (const gone of removed) expect(before).toContain(gone)
          expect(after.sort()).toEqual([...before.filter((p) => !removed.includes(p)), path].sort())
          if (kind === 'replace') expect(after).toEqual([path])
        }
        const added = landed.filter(({ kind }) => kind === 'append').length
        expect(added).toBe(writers.flat().filter(({ kind }) => kind === 'append').length)
      },
    ),
    { numRuns: 60 },
  )
})
