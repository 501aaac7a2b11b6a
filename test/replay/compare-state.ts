/** A version made here beside the version the reference made by the same statements. */
import type { Engine } from '../../src/engine/index.ts'
import { loadSnapshot, type Snapshot } from '../../src/kernel/index.ts'
import { typeToJson } from '../../src/schema/index.ts'
import type { ObjectStore } from '../../src/storage/index.ts'
import { printJson } from '../../src/support/index.ts'
import { compareVersion } from '../conformance/compare-version.ts'
import type { RecordedVersion } from '../conformance/recorded-tables.ts'

/** What hangs on sizes of files, or on names that are drawn, and is compared by other means. */
const EXCEPT = ['numFiles', 'sizeInBytes', 'schema', 'properties', 'domains', 'txns', 'checksum']

export interface ComparedVersion {
  readonly version: number
  readonly recorded: RecordedVersion
}

/** @returns differences in words; none where schema, partitioning, protocol, properties, domains and rows are the same */
export async function compareState(
  engine: Engine,
  store: ObjectStore,
  { version, recorded }: ComparedVersion,
): Promise<string[]> {
  const outcome = await compareVersion(engine, store, { version, recorded, except: EXCEPT, rows: true })
  const snapshot = await loadSnapshot(store, engine, { version })
  try {
    const differences = [...outcome.differences, ...compareNames(snapshot, recorded)]
    if (outcome.error !== undefined && recorded.error === undefined) differences.push(outcome.error)
    return differences
  } finally {
    await snapshot.close()
  }
}

function compareNames(snapshot: Snapshot, recorded: RecordedVersion): string[] {
  const differences: string[] = []
  const compare = (what: string, ours: unknown, theirs: unknown) => {
    if (theirs === undefined || theirs === null) return
    const [a, b] = [withoutDrawn(ours), withoutDrawn(theirs)]
    if (a !== b) differences.push(`${what}: ${a.slice(0, 400)} instead of ${b.slice(0, 400)}`)
  }
  compare('schema', JSON.parse(printJson(typeToJson(snapshot.schema))), recorded.schema)
  compare('properties', Object.fromEntries(snapshot.configuration), recorded.properties)
  const domains = [...snapshot.domains.values()].map(({ domain, configuration }) => [domain, configuration])
  compare('domains', domains.sort(), recorded.domainMetadata?.map((d) => [d.domain, d.configuration]).sort())
  return differences
}

/** JSON with the keys of objects in order, without what is drawn by chance. */
function withoutDrawn(value: unknown): string {
  const text = JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
  return text.replaceAll(/(col)-[0-9a-f]{8}-[-0-9a-f]+/g, '$1').replaceAll(/(EnablementTimestamp\\?":\\?")\d+/g, '$1')
}
