import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryStore, type ObjectStore } from '../../storage/index.ts'
import type { JsonObject } from '../../support/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import { printAction } from '../actions/print.ts'
import { checkpointKey, commitKey } from '../paths/index.ts'
import { loadSnapshot } from './load.ts'
import { deletionVectorId } from './replay-key.ts'
import type { Snapshot } from './snapshot.ts'
import { add, jsonLogEngine, lines, METADATA, PROTOCOL, remove } from './test-log.ts'

/** A step on one of a few files, with one of a few deletion vectors. */
interface Step {
  readonly kind: 'add' | 'remove' | 'replaceVector'
  readonly file: number
  readonly vector: number
}

const steps = fc.uniqueArray(
  fc.record({
    kind: fc.constantFrom('add', 'remove', 'replaceVector'),
    file: fc.nat(4),
    vector: fc.nat(2),
  }) satisfies fc.Arbitrary<Step>,
  { maxLength: 4, selector: ({ file }) => file },
)
const histories = fc.array(steps, { minLength: 1, maxLength: 8 })

function vector(number: number): JsonObject {
  if (number === 0) return {}
  return { deletionVector: { storageType: 'u', pathOrInlineDv: `v${number}`, sizeInBytes: 1, cardinality: 1 } }
}

/** Actions of one commit: at most one add and one remove a path, as the protocol wants. */
function commitActions(commit: readonly Step[], version: number): JsonObject[] {
  const actions = new Map<string, JsonObject>()
  for (const { kind, file, vector: v } of commit) {
    const put = (action: JsonObject, name: string) => actions.set(`${name} ${file} ${v}`, action)
    if (kind === 'add') put(add(`f${file}`, { size: version, ...vector(v) }), 'key')
    else if (kind === 'remove') put(remove(`f${file}`, vector(v)), 'key')
    else {
      put(remove(`f${file}`, vector(v)), 'key')
      const next = (v + 1) % 3
      actions.set(`key ${file} ${next}`, add(`f${file}`, { size: version, ...vector(next) }))
    }
  }
  return [...actions.values()]
}

async function stateOf(store: ObjectStore): Promise<unknown> {
  return await describeSnapshot(await loadSnapshot(store, jsonLogEngine))
}

async function describeSnapshot(snapshot: Snapshot): Promise<unknown> {
  const live: string[] = []
  for await (const page of snapshot.files.select()) {
    live.push(...page.map((file) => `${file.path} ${deletionVectorId(file.deletionVector)} ${file.size}`))
  }
  const gone: string[] = []
  for await (const page of snapshot.files.tombstones(0)) {
    gone.push(...page.map((file) => `${file.path} ${deletionVectorId(file.deletionVector)}`))
  }
  const { numFiles, sizeInBytes } = await snapshot.files.totals()
  return { live: live.sort(), gone: gone.sort(), numFiles, sizeInBytes }
}

async function logOfSteps(commits: readonly (readonly JsonObject[])[]): Promise<ObjectStore> {
  const store = memoryStore()
  for (const [i, actions] of commits.entries()) {
    await store.put(commitKey(i), lines(i === 0 ? [PROTOCOL, METADATA, ...actions] : [{ commitInfo: {} }, ...actions]))
  }
  return store
}

/** What a writer would put into a checkpoint of the version. */
async function checkpointOf(store: ObjectStore, version: number): Promise<void> {
  const { files } = await loadSnapshot(store, jsonLogEngine, { version })
  const text = [PROTOCOL, METADATA].map((action) => `${JSON.stringify(action)}\n`)
  for await (const page of files.select()) text.push(...page.map((file) => `${printAction({ add: file })}\n`))
  for await (const page of files.tombstones(0)) text.push(...page.map((file) => `${printAction({ remove: file })}\n`))
  await store.put(checkpointKey(version), encodeUtf8(text.join('')))
}

describe('replay', () => {
  it('gives the same files wherever checkpoints were written and older commits deleted', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(), async (history, place) => {
        const commits = history.map(commitActions)
        const plain = await stateOf(await logOfSteps(commits))
        const store = await logOfSteps(commits)
        const at = place % commits.length
        await checkpointOf(store, at)
        for (let version = 0; version <= at; version++) await store.delete(commitKey(version))
        expect(await stateOf(store)).toEqual(plain)
      }),
      { numRuns: 60 },
    )
  })

  it('does not look at the order of actions within a commit', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const commits = history.map(commitActions)
        const reversed = commits.map((actions) => [...actions].reverse())
        expect(await stateOf(await logOfSteps(reversed))).toEqual(await stateOf(await logOfSteps(commits)))
      }),
      { numRuns: 60 },
    )
  })

  it('gives the same by refreshing step by step, and leaves every older snapshot as it was', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const commits = history.map(commitActions)
        const store = await logOfSteps(commits.slice(0, 1))
        const snapshots = [await loadSnapshot(store, jsonLogEngine)]
        for (const [i, actions] of commits.slice(1).entries()) {
          await store.put(commitKey(i + 1), lines([{ commitInfo: {} }, ...actions]))
          snapshots.push(await snapshots.at(-1)!.refresh())
        }
        for (const [version, snapshot] of snapshots.entries()) {
          const whole = await stateOf(await logOfSteps(commits.slice(0, version + 1)))
          expect(await describeSnapshot(snapshot)).toEqual(whole)
        }
      }),
      { numRuns: 60 },
    )
  })
})
