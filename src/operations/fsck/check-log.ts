/** The log of a table: whether it has gaps, whether commits can be read, whether the checkpoint says what they say. */
import { causeText, isDeltaError } from '../../errors/index.ts'
import {
  fileKey,
  fileKeyText,
  LOG_PREFIX,
  type LogName,
  loadSnapshot,
  parseLogName,
  readCommit,
  type Snapshot,
} from '../../kernel/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { mapParallel, throwIfAborted } from '../../support/index.ts'
import type { OperationContext } from '../context.ts'
import type { Findings } from './fsck.ts'

const PARALLEL = 4

interface LogObject {
  readonly key: string
  readonly name: LogName
}

/** @param snapshot of the newest version; undefined where it cannot be loaded */
export async function checkLog(
  snapshot: Snapshot | undefined,
  findings: Findings,
  context: OperationContext,
): Promise<void> {
  const objects = await logObjects(context)
  const commits = objects.flatMap(({ name }) => (name.kind === 'commit' ? [name.version] : []))
  tellGaps(commits, objects, findings)
  await readCommits(commits, findings, context)
  if (snapshot === undefined) return
  // what the snapshot noticed: checksums that disagree, hints that lead nowhere
  for (const warning of snapshot.warnings) findings.tell({ kind: 'log', path: null, problem: warning })
  await checkCheckpoint(snapshot, objects, findings, context)
}

async function logObjects({ store, options: { signal } }: OperationContext): Promise<readonly LogObject[]> {
  const objects: LogObject[] = []
  if (!store.capabilities.list) return objects
  for await (const page of store.list({ prefix: LOG_PREFIX, shallow: true, ...(signal && { signal }) })) {
    for (const { key } of page) {
      const name = parseLogName(key.slice(LOG_PREFIX.length))
      if (name !== undefined) objects.push({ key, name })
    }
  }
  return objects
}

/** Commits below the oldest checkpoint may be gone, those behind it not. */
function tellGaps(commits: readonly number[], objects: readonly LogObject[], findings: Findings): void {
  const checkpoints = objects.flatMap(({ name }) => (name.kind === 'checkpoint' ? [name.version] : []))
  const newestCheckpoint = Math.max(-1, ...checkpoints)
  for (const [i, version] of commits.entries()) {
    const next = commits[i + 1]
    if (next === undefined || next === version + 1) continue
    const gone = next === version + 2 ? `version ${version + 1} is` : `versions ${version + 1} to ${next - 1} are`
    const still = next - 1 <= newestCheckpoint ? ', which the checkpoint makes up for; they cannot be read' : ''
    findings.tell({ kind: 'log', path: null, problem: `the log has a gap: ${gone} missing${still}` })
  }
}

async function readCommits(commits: readonly number[], findings: Findings, context: OperationContext): Promise<void> {
  const { store, options } = context
  await mapParallel(commits, PARALLEL, async (version) => {
    throwIfAborted(options.signal, 'FSCK')
    try {
      await readCommit(store, version, options.signal && { signal: options.signal })
    } catch (error) {
      if (!isDeltaError(error) || error.code.startsWith('LAKE_STORAGE_')) throw error
      findings.tell({ kind: 'log', path: `version ${version}`, problem: causeText(error) })
    }
  })
}

/** The newest checkpoint against what the log says without it, where it can be read without it. */
async function checkCheckpoint(
  snapshot: Snapshot,
  objects: readonly LogObject[],
  findings: Findings,
  context: OperationContext,
): Promise<void> {
  const version = snapshot.segment.checkpointVersion
  if (version === undefined) return
  const { store, engine, options } = context
  const hidden = objects.filter(({ name }) => name.kind === 'checkpoint' && name.version === version)
  const without = hiding(store, new Set([...hidden.map(({ key }) => key), `${LOG_PREFIX}_last_checkpoint`]))
  const call = { version, ...(options.signal && { signal: options.signal }) }
  const replayed = await loadSnapshot(without, engine, call).catch((error: unknown) => {
    if (!isDeltaError(error) || error.code.startsWith('LAKE_STORAGE_')) throw error
    return undefined // commits before it were cleaned up: nothing is left to hold it against
  })
  if (replayed === undefined) return
  const checkpointed = await loadSnapshot(store, engine, call)
  try {
    const difference = await differenceOf(checkpointed, replayed)
    if (difference === undefined) return
    findings.tell({
      kind: 'checkpoint',
      path: hidden[0]?.key ?? null,
      problem: `the checkpoint of version ${version} disagrees with the log: ${difference}; delete it, then write a new one`,
    })
  } finally {
    await replayed.close()
    await checkpointed.close()
  }
}

async function differenceOf(checkpointed: Snapshot, replayed: Snapshot): Promise<string | undefined> {
  const keys = await keysOf(replayed)
  let extra = 0
  for (const key of await keysOf(checkpointed)) if (!keys.delete(key)) extra++
  if (keys.size > 0 || extra > 0) return `it lacks ${keys.size} live files and has ${extra} that are not`
  if (JSON.stringify(protocolOf(checkpointed)) !== JSON.stringify(protocolOf(replayed)))
    return 'its protocol is another'
  return checkpointed.metadata.schemaString === replayed.metadata.schemaString ? undefined : 'its schema is another'
}

function protocolOf({ protocol }: Snapshot): unknown {
  const { minReaderVersion, minWriterVersion, readerFeatures = [], writerFeatures = [] } = protocol
  return [minReaderVersion, minWriterVersion, [...readerFeatures].sort(), [...writerFeatures].sort()]
}

async function keysOf({ files }: Snapshot): Promise<Set<string>> {
  const keys = new Set<string>()
  for await (const page of files.select()) for (const file of page) keys.add(fileKeyText(fileKey(file)))
  return keys
}

/** The store as if some objects were not there. */
function hiding(store: ObjectStore, hidden: ReadonlySet<string>): ObjectStore {
  return {
    ...store,
    async *list(options) {
      for await (const page of store.list(options)) yield page.filter(({ key }) => !hidden.has(key))
    },
    get: (key, options) => store.get(hidden.has(key) ? `${key}.hidden` : key, options),
    head: (key, options) => store.head(hidden.has(key) ? `${key}.hidden` : key, options),
  }
}
