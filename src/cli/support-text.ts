/** What an engine can do with a table, in one line. */
import type { EngineSupport } from '../operations/index.ts'

export function supportText({ reads, writes, lacks }: EngineSupport): string {
  const can = reads ? (writes ? 'reads and writes' : 'reads, does not write') : 'does not read'
  return lacks.length === 0 ? can : `${can}; does not know ${lacks.join(', ')}`
}
