/**
 * Tables that differ along independent axes: which features they have, how their files lie, what their log looks like.
 *
 * Every table holds rows `id BIGINT, v BIGINT, p STRING`; a test that holds for one must hold for each.
 */
import type { DeltaTable, DeltaTables } from '../../src/table/index.ts'

/** Properties that give a table a feature or another way of writing. */
export const featureAxis = {
  plain: {},
  vectors: { 'delta.enableDeletionVectors': 'true' },
  tracked: { 'delta.enableRowTracking': 'true' },
  timed: { 'delta.enableInCommitTimestamps': 'true' },
  mapped: { 'delta.columnMapping.mode': 'name' },
  changes: { 'delta.enableChangeDataFeed': 'true' },
  checkpointsV2: { 'delta.checkpointPolicy': 'v2' },
  typedStatistics: { 'delta.checkpoint.writeStatsAsStruct': 'true', 'delta.checkpoint.writeStatsAsJson': 'false' },
  widening: { 'delta.enableTypeWidening': 'true' },
  constrained: { 'delta.feature.checkConstraints': 'supported', 'delta.constraints.known': 'id >= 0' },
  defaults: { 'delta.feature.allowColumnDefaults': 'supported' },
  domains: { 'delta.feature.domainMetadata': 'supported', 'delta.feature.vacuumProtocolCheck': 'supported' },
  narrowStatistics: { 'delta.dataSkippingStatsColumns': 'id' },
  randomFolders: { 'delta.randomizeFilePrefixes': 'true' },
  materialized: { 'delta.enableMaterializePartitionColumnsFeature': 'true' },
  everything: {
    'delta.enableDeletionVectors': 'true',
    'delta.enableRowTracking': 'true',
    'delta.enableInCommitTimestamps': 'true',
    'delta.columnMapping.mode': 'name',
    'delta.enableChangeDataFeed': 'true',
    'delta.checkpointPolicy': 'v2',
    'delta.enableTypeWidening': 'true',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>

interface Layout {
  readonly partitionBy: readonly string[]
  readonly clusterBy: readonly string[]
}

export const layoutAxis = {
  whole: { partitionBy: [], clusterBy: [] },
  partitioned: { partitionBy: ['p'], clusterBy: [] },
  clustered: { partitionBy: [], clusterBy: ['p', 'id'] },
} as const satisfies Record<string, Layout>

/** What stands in the log before a test begins, besides the rows' own commits. */
export const logAxis = {
  fresh: async () => {},
  checkpointed: async (table: DeltaTable) => void (await table.checkpoint()),
  compacted: async (table: DeltaTable) => void (await table.compactLog({ from: 0, to: 2 })),
  restored: async (table: DeltaTable) => {
    await table.delete()
    await table.restoreToVersion(2)
  },
} as const satisfies Record<string, (table: DeltaTable) => Promise<void>>

export interface TableAxes {
  readonly features: keyof typeof featureAxis
  readonly layout: keyof typeof layoutAxis
  readonly log: keyof typeof logAxis
  /** versions between checkpoints; the default interval when absent */
  readonly checkpointInterval?: number
}

export interface AxisRow {
  readonly id: bigint
  readonly v: bigint
  readonly p: string
}

/** Makes the table at a location, one commit a list of rows. */
export async function buildTable(
  tables: DeltaTables,
  location: string,
  axes: TableAxes,
  commits: readonly (readonly AxisRow[])[],
): Promise<DeltaTable> {
  const interval = axes.checkpointInterval
  const properties = {
    ...featureAxis[axes.features],
    ...(interval !== undefined && { 'delta.checkpointInterval': String(interval) }),
  }
  const { partitionBy, clusterBy } = layoutAxis[axes.layout]
  const builder = tables.create().location(location).addColumns('id BIGINT, v BIGINT, p STRING').properties(properties)
  const laidOut = partitionBy.length > 0 ? builder.partitionedBy(...partitionBy) : builder
  await (clusterBy.length > 0 ? laidOut.clusterBy(...clusterBy) : laidOut).execute()
  const table = await tables.forPath(location)
  for (const rows of commits) await table.append(rows)
  await logAxis[axes.log](table)
  return table
}
