/** The complete checkpoints of a listing: sets of files that together hold all actions of a version. */
import type { CheckpointFile } from '../snapshot/file-index.ts'
import type { CheckpointPart, LogListing } from './listing.ts'

export interface CheckpointCandidate {
  readonly version: number
  /** main file or all parts; sidecars are named inside */
  readonly files: readonly CheckpointFile[]
  readonly modifiedMs: number
}

/**
 * The complete checkpoints up to a version, the one to try first in front.
 *
 * Newer ones come first; of one version a single file before parts. Sidecars are not looked at.
 */
export function completeCheckpoints(listing: LogListing, upTo: number): CheckpointCandidate[] {
  const candidates: CheckpointCandidate[] = []
  const partSets = new Map<string, CheckpointPart[]>()
  for (const part of listing.checkpoints) {
    if (part.version > upTo || part.size === 0) continue
    if (part.form.kind !== 'multi-part') candidates.push(candidate([part]))
    else {
      const set = `${part.version}/${part.form.parts}`
      partSets.set(set, [...(partSets.get(set) ?? []), part])
    }
  }
  for (const parts of partSets.values()) if (isWhole(parts)) candidates.push(candidate(parts))
  return candidates.sort((a, b) => b.version - a.version || a.files.length - b.files.length)
}

function isWhole(parts: readonly CheckpointPart[]): boolean {
  const { form } = parts[0]!
  return form.kind === 'multi-part' && new Set(parts.map((part) => part.key)).size === form.parts
}

function candidate(parts: readonly CheckpointPart[]): CheckpointCandidate {
  const files = parts.map(({ key, size, form }): CheckpointFile => {
    return { key, size, format: form.kind === 'uuid' ? form.format : 'parquet' }
  })
  return { version: parts[0]!.version, files, modifiedMs: Math.max(...parts.map((part) => part.modifiedMs)) }
}
