/**
 * columnMapping: files are written anew under the names of their columns, and the schema forgets what they were called.
 *
 * All in one commit: between a schema of one kind and files of the other no reader finds a value. Folders of files keep
 * their random names. Source: Delta protocol, "Column Mapping".
 */
import { deltaError } from '../../../errors/index.ts'
import {
  type Action,
  type AddFile,
  layoutOf,
  type Metadata,
  property,
  type Snapshot,
  type TableLayout,
  type Transaction,
} from '../../../kernel/index.ts'
import { clusteringDomain, clusteringPaths } from '../../clustering.ts'
import { beginChange } from '../../commit.ts'
import type { OperationContext } from '../../context.ts'
import { bytesOf } from '../../dml/change-metrics.ts'
import { PendingFiles } from '../../dml/pending-files.ts'
import { columnPathText } from '../../values/index.ts'
import { rewriteFiles } from '../../write/rewrite-files.ts'
import { addFileOf } from '../../write/write-plan.ts'
import { fieldsOf, schemaOf, someFieldHas, withoutFieldKeys, withoutProperties } from '../metadata.ts'
import type { CleanupStep, FeatureRemoval } from '../removal.ts'

const NAME = 'columnMapping'
const OPERATION = 'REMOVE COLUMN MAPPING'
const PROPERTIES = ['delta.columnMapping.mode', 'delta.columnMapping.maxColumnId']
const FIELD_KEYS = [
  'delta.columnMapping.id',
  'delta.columnMapping.physicalName',
  'delta.columnMapping.nested.ids',
  'parquet.field.id',
  'parquet.field.nested.ids',
]
const MAPPED_KEYS = ['delta.columnMapping.id', 'delta.columnMapping.physicalName']
/** What a column that is not mapped cannot be called. */
const NEEDS_MAPPING = /[ ,;{}()\n\t=]/

function isMapped(metadata: Metadata): boolean {
  return property(metadata.configuration, 'columnMapping.mode') !== 'none' || someFieldHas(metadata, MAPPED_KEYS)
}

function plain(metadata: Metadata): Metadata {
  return withoutFieldKeys(withoutProperties(metadata, PROPERTIES), FIELD_KEYS)
}

const removeMapping: CleanupStep = {
  async plan(snapshot, context) {
    if (!isMapped(snapshot.metadata)) return undefined
    const files = await liveFiles(snapshot)
    const metadata = plain(snapshot.metadata)
    return { operation: OPERATION, files, isChange: true, commit: () => writePlain(files, metadata, snapshot, context) }
  },
}

/**
 * Ends the mapping of a table that keeps the feature, as the property is set to `none` or unset.
 *
 * @param set whether the property stays, as `none`
 * @returns the version made; undefined where columns are not mapped
 * @throws DeltaError as `columnMappingRemoval`, conflict codes, codes of engine and store
 */
export async function unmapColumns(
  snapshot: Snapshot,
  context: OperationContext,
  { set }: { readonly set: boolean },
): Promise<number | undefined> {
  if (property(snapshot.configuration, 'columnMapping.mode') === 'none') return undefined
  refuseMappedNames(snapshot)
  const { configuration, ...rest } = plain(snapshot.metadata)
  const kept = set ? new Map([...configuration, [PROPERTIES[0]!, 'none']]) : configuration
  return await writePlain(await liveFiles(snapshot), { ...rest, configuration: kept }, snapshot, context)
}

async function liveFiles(snapshot: Snapshot): Promise<readonly AddFile[]> {
  const files: AddFile[] = []
  for await (const page of snapshot.files.select()) files.push(...page)
  return files
}

async function writePlain(
  files: readonly AddFile[],
  metadata: Metadata,
  snapshot: Snapshot,
  context: OperationContext,
): Promise<number> {
  const { configuration } = metadata
  const layout = layoutOf(snapshot.protocol, metadata)
  const begun = withPlainClustering(
    beginChange(snapshot, context, { operation: OPERATION, drops: NAME }),
    snapshot,
    layout,
  )
  const pending = new PendingFiles(context)
  return await pending.orDiscard(async () => {
    const to = { layout, configuration, domains: begun.domains }
    const written = await rewriteFiles({ files, from: snapshot, to, pending, context })
    const change = begun
      .setMetadata(metadata)
      .readsTable()
      .removeFiles(files, { dataChange: false })
      .addFiles(written.files.map((file) => ({ ...addFileOf(file), dataChange: false })))
      .setMetrics({ numOutputBytes: bytesOf(written.files) })
    return await pending.commit(change)
  })
}

/** Clustering columns are kept by the names they have in files. */
function withPlainClustering(change: Transaction, snapshot: Snapshot, layout: TableLayout): Transaction {
  const paths = clusteringPaths(snapshot)
  return paths.length === 0 ? change : change.setDomain(clusteringDomain(paths, layout.schema, 'none'))
}

/** @throws DeltaError `DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING` */
function refuseMappedNames({ metadata }: Snapshot): void {
  const invalid = [...fieldsOf(schemaOf(metadata))].filter(({ field }) => NEEDS_MAPPING.test(field.name))
  if (invalid.length === 0) return
  const columns = invalid.map(({ path }) => columnPathText(path)).join(', ')
  throw deltaError('DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING', { columns })
}

export const columnMappingRemoval: FeatureRemoval = {
  name: NAME,
  needsHistoryProtection: true,
  validate: refuseMappedNames,
  steps: [removeMapping],
  isUnused: async ({ metadata }) => !isMapped(metadata),
  isTrace: (action: Action) => 'metaData' in action && isMapped(action.metaData),
}
