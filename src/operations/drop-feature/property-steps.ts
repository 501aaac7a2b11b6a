/** Steps that set or unset properties, and tell of it as ALTER TABLE does. */
import type { Metadata, Snapshot } from '../../kernel/index.ts'
import { type JsonObject, printJson } from '../../support/index.ts'
import { beginChange, commitChange } from '../commit.ts'
import type { OperationContext } from '../context.ts'
import { setKeys, withoutProperties, withProperty } from './metadata.ts'
import type { CleanupStep, PlannedStep } from './removal.ts'

export interface MetadataStep {
  readonly operation: string
  readonly operationParameters: JsonObject
  readonly metadata: Metadata
  /** the feature whose drop it belongs to */
  readonly drops: string
}

/** A step that replaces the metadata and does nothing else. */
export function metadataStep(step: MetadataStep, snapshot: Snapshot, context: OperationContext): PlannedStep {
  const { operation, operationParameters, metadata, drops } = step
  return {
    operation,
    files: [],
    isChange: true,
    commit: async () => {
      const change = beginChange(snapshot, context, { operation, operationParameters, drops })
      return await commitChange(change.setMetadata(metadata), context)
    },
  }
}

/** UNSET TBLPROPERTIES of the keys that are set. @param isNeeded where no key is set, or this is false, nothing is done */
export function unsetStep(
  drops: string,
  keys: readonly string[],
  isNeeded: (snapshot: Snapshot) => boolean | Promise<boolean> = () => true,
): CleanupStep {
  return {
    async plan(snapshot, context) {
      const set = setKeys(snapshot.metadata, keys)
      if (set.length === 0 || !(await isNeeded(snapshot))) return undefined
      const operationParameters = { properties: printJson(set), ifExists: true }
      const metadata = withoutProperties(snapshot.metadata, keys)
      return metadataStep({ operation: 'UNSET TBLPROPERTIES', operationParameters, metadata, drops }, snapshot, context)
    },
  }
}

/** SET TBLPROPERTIES, where it is needed. */
export function setStep(
  drops: string,
  properties: Readonly<Record<string, string>>,
  isNeeded: (snapshot: Snapshot) => boolean | Promise<boolean>,
): CleanupStep {
  return {
    async plan(snapshot, context) {
      if (!(await isNeeded(snapshot))) return undefined
      const operationParameters = { properties: printJson(properties) }
      let { metadata } = snapshot
      for (const [key, value] of Object.entries(properties)) metadata = withProperty(metadata, key, value)
      return metadataStep({ operation: 'SET TBLPROPERTIES', operationParameters, metadata, drops }, snapshot, context)
    },
  }
}
