/** Which known engines can read and write a table, by the features its protocol asks for. */
import type { DetailRecord } from '../table/index.ts'

export interface EngineSupport {
  readonly engine: string
  readonly reads: boolean
  readonly writes: boolean
  /** features of the table that the engine refuses */
  readonly lacks: readonly string[]
}

interface KnownEngine {
  readonly engine: string
  /** features it refuses to read, and so to write */
  readonly unreadable: readonly string[]
  /** features it reads and refuses to write */
  readonly unwritable: readonly string[]
}

/** As these versions answered when tables with each feature were read and appended to. */
const KNOWN_ENGINES: readonly KnownEngine[] = [
  { engine: 'Spark 4.1 with Delta 4.4', unreadable: ['catalogManaged', 'catalogOwned-preview'], unwritable: [] },
  {
    engine: 'delta-rs 1.6',
    unreadable: [
      'typeWidening',
      'typeWidening-preview',
      'vacuumProtocolCheck',
      'variantShredding',
      'variantShredding-preview',
      'catalogManaged',
      'catalogOwned-preview',
    ],
    unwritable: [
      'allowColumnDefaults',
      'checkpointProtection',
      'clustering',
      'domainMetadata',
      'icebergCompatV2',
      'icebergCompatV3',
      'identityColumns',
      'inCommitTimestamp',
      'materializePartitionColumns',
      'rowTracking',
    ],
  },
]

/** This package first. */
export function engineSupport({
  tableFeatures,
  unwritableFeatures,
  unreadableFeatures,
}: DetailRecord): EngineSupport[] {
  const own = {
    engine: 'bayou',
    reads: unreadableFeatures.length === 0,
    writes: unwritableFeatures.length === 0,
    lacks: unwritableFeatures,
  }
  return [own, ...KNOWN_ENGINES.map((engine) => supportOf(engine, tableFeatures, unreadableFeatures))]
}

/** @param unknown features that were not there when the engines were tried */
function supportOf(
  { engine, unreadable, unwritable }: KnownEngine,
  features: readonly string[],
  unknown: readonly string[],
): EngineSupport {
  const unread = [...unknown, ...features.filter((name) => unreadable.includes(name) && !unknown.includes(name))]
  const unwritten = features.filter((name) => unwritable.includes(name))
  const lacks = [...unread, ...unwritten]
  return { engine, reads: unread.length === 0, writes: lacks.length === 0, lacks }
}
