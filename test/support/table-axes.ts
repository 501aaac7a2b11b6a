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
  everything: {
    'delta.enableDeletionVectors': 'true',
    'delta.enableRowTracking': 'true',
    'delta.enableInCommitTimestamps': 'true',
    'delta.columnMapping.mode': 'name',
    'delta.enableChangeDataFeed': 'true',
    'delta.checkpointPolicy': 'v2',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>

export const layoutAxis = { whole: [], partitioned: ['p'] } as const satisfies Record<string, readonly string[]>

/** What stands in the log before a test begins, besides the rows' own commits. */
export const logAxis = {
  fresh: async () => {},
  checkpointed: async (table: DeltaTable) => void (await table.checkpoint()),
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
  await tables
    .create()
    .location(location)
    .addColumns('id BIGINT, v BIGINT, p STRING')
    .partitionedBy(...layoutAxis[axes.layout])
    .properties(properties)
    .execute()
  const table = await tables.forPath(location)
  for (const rows of commits) await table.append(rows)
  await logAxis[axes.log](table)
  return table
}
