/** domainMetadata: every domain that is left is removed; features that live by one are dropped before. */
import type { Snapshot } from '../../../kernel/index.ts'
import { beginChange, commitChange } from '../../commit.ts'
import type { CleanupStep, FeatureRemoval } from '../removal.ts'

const NAME = 'domainMetadata'
const OPERATION = 'DOMAIN METADATA CLEANUP'

const removeDomains: CleanupStep = {
  async plan(snapshot: Snapshot, context) {
    if (snapshot.domains.size === 0) return undefined
    return {
      operation: OPERATION,
      files: [],
      isChange: true,
      commit: async () => {
        const change = beginChange(snapshot, context, { operation: OPERATION, drops: NAME })
        const domains = [...snapshot.domains.values()].map((domain) => ({ ...domain, removed: true }))
        return await commitChange(
          domains.reduce((result, domain) => result.setDomain(domain), change),
          context,
        )
      },
    }
  },
}

export const domainMetadataRemoval: FeatureRemoval = {
  name: NAME,
  needsHistoryProtection: false,
  steps: [removeDomains],
  isUnused: async ({ domains }) => domains.size === 0,
}
