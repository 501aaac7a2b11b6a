/** rowTracking: no row has an id any more. Columns of ids that lie in files stay there, and no reader looks at them. */
import { type AddFile, property, type Snapshot } from '../../../kernel/index.ts'
import { beginChange, commitChange } from '../../commit.ts'
import type { OperationContext } from '../../context.ts'
import { withoutProperties } from '../metadata.ts'
import { setStep } from '../property-steps.ts'
import type { CleanupStep, FeatureRemoval } from '../removal.ts'

const NAME = 'rowTracking'
const DOMAIN = 'delta.rowTracking'
const OPERATION = 'ROW TRACKING UNBACKFILL'
/** Files listed anew by one commit. */
const BATCH_FILES = 100_000
const PROPERTIES = [
  'delta.enableRowTracking',
  'delta.rowTrackingSuspended',
  'delta.rowTracking.materializedRowIdColumnName',
  'delta.rowTracking.materializedRowCommitVersionColumnName',
]

function givesIds({ configuration }: Snapshot): boolean {
  return property(configuration, 'enableRowTracking') || !property(configuration, 'rowTrackingSuspended')
}

/** Lists every file that has ids anew without them, in as many commits as it takes. */
const unbackfill: CleanupStep = {
  async plan(snapshot, context) {
    const [first] = await filesWithIds(snapshot, 1)
    if (first === undefined) return undefined
    return { operation: OPERATION, files: [], isChange: true, commit: () => takeIds(context) }
  },
}

async function takeIds(context: OperationContext): Promise<number> {
  let version = -1
  for (let batchId = 0; ; batchId++) {
    const made = await context.withSnapshot(undefined, (snapshot) => takeBatch(snapshot, batchId, context))
    if (made === undefined) return version
    version = made
  }
}

async function takeBatch(snapshot: Snapshot, batchId: number, context: OperationContext): Promise<number | undefined> {
  const files = await filesWithIds(snapshot, BATCH_FILES)
  if (files.length === 0) return undefined
  const operationParameters = { batchId: String(batchId) }
  const change = beginChange(snapshot, context, { operation: OPERATION, operationParameters, drops: NAME })
  const bare = files.map(({ baseRowId: _, defaultRowCommitVersion: __, ...file }): AddFile => file)
  return await commitChange(change.refreshFiles(bare), context)
}

async function filesWithIds({ files }: Snapshot, limit: number): Promise<readonly AddFile[]> {
  const found: AddFile[] = []
  for await (const page of files.select()) {
    found.push(
      ...page.filter(({ baseRowId, defaultRowCommitVersion }) => (baseRowId ?? defaultRowCommitVersion) !== undefined),
    )
    if (found.length >= limit) break
  }
  return found.slice(0, limit)
}

export const rowTrackingRemoval: FeatureRemoval = {
  name: NAME,
  needsHistoryProtection: false,
  steps: [
    setStep(NAME, { 'delta.enableRowTracking': 'false', 'delta.rowTrackingSuspended': 'true' }, givesIds),
    unbackfill,
  ],
  isUnused: async (snapshot) => !givesIds(snapshot) && (await filesWithIds(snapshot, 1)).length === 0,
  strip: (metadata) => withoutProperties(metadata, PROPERTIES),
  ownDomains: ({ domains }) => [...domains.values()].filter(({ domain }) => domain === DOMAIN),
}
