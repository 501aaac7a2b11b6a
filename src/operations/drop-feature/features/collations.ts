/**
 * collations: text is compared by its bytes again. The schema forgets the collations of its columns, and files the
 * statistics that were made by them, in one commit.
 */
import type { AddFile, Snapshot } from '../../../kernel/index.ts'
import { isJsonObject, type JsonObject, parseJson, printJson } from '../../../support/index.ts'
import { beginChange, commitChange } from '../../commit.ts'
import { columnsParameter, someFieldHas, withoutFieldKeys } from '../metadata.ts'
import type { CleanupStep, FeatureRemoval } from '../removal.ts'

const NAME = 'collations'
const FIELD_KEY = '__COLLATIONS'
const STATISTICS_KEY = 'statsWithCollation'
const OPERATION = 'DROP FEATURE'

const stripCollations: CleanupStep = {
  async plan(snapshot, context) {
    const files = await filesWithStatistics(snapshot)
    if (files.length === 0 && !someFieldHas(snapshot.metadata, [FIELD_KEY])) return undefined
    return {
      operation: OPERATION,
      files: [],
      isChange: true,
      commit: async () => {
        const operationParameters = columnsParameter(snapshot.metadata, FIELD_KEY)
        const change = beginChange(snapshot, context, { operation: OPERATION, operationParameters, drops: NAME })
        const metadata = withoutFieldKeys(snapshot.metadata, [FIELD_KEY])
        return await commitChange(change.setMetadata(metadata).refreshFiles(files), context)
      },
    }
  },
}

/** Files whose statistics tell of collations, each without what it tells of them. */
async function filesWithStatistics({ files }: Snapshot): Promise<readonly AddFile[]> {
  const found: AddFile[] = []
  for await (const page of files.select()) {
    for (const file of page) {
      const stats = withoutCollations(file.stats)
      if (stats !== undefined) found.push({ ...file, stats })
    }
  }
  return found
}

/** @returns undefined where they tell of none */
function withoutCollations(stats: string | undefined): string | undefined {
  if (stats === undefined || !stats.includes(STATISTICS_KEY)) return undefined
  const json = parseJson(stats)
  if (!isJsonObject(json) || json[STATISTICS_KEY] === undefined) return undefined
  const { [STATISTICS_KEY]: _, ...rest } = json as JsonObject
  return printJson(rest)
}

export const collationsRemoval: FeatureRemoval = {
  name: NAME,
  needsHistoryProtection: false,
  steps: [stripCollations],
  isUnused: async ({ metadata }) => !someFieldHas(metadata, [FIELD_KEY]),
}
