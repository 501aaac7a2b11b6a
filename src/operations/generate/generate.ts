/**
 * GENERATE symlink_format_manifest: lists of the paths of the live files, one a partition, for engines that read such lists.
 *
 * Source: the reference's GENERATE; property `delta.compatibility.symlinkFormatManifest.enabled`, which has them written
 * after each commit.
 */
import { deltaError } from '../../errors/index.ts'
import {
  type AddFile,
  locateDataFile,
  partitionDirectory,
  physicalPartitionColumns,
  property,
  type Snapshot,
} from '../../kernel/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { encodeUtf8, mapParallel } from '../../support/index.ts'
import type { OperationContext } from '../context.ts'
import type { GenerateCommand, GenerateResult } from '../upkeep-command.ts'

const FOLDER = '_symlink_format_manifest/'
const MODE = 'symlink_format_manifest'
const PARALLEL = 8

/**
 * @throws DeltaError `DELTA_MODE_NOT_SUPPORTED`, `DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS`,
 * `DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING`, a `LAKE_STORAGE_…` code
 */
export async function executeGenerate({ mode }: GenerateCommand, context: OperationContext): Promise<GenerateResult> {
  if (mode.toLowerCase() !== MODE) throw deltaError('DELTA_MODE_NOT_SUPPORTED', { mode })
  return await context.withSnapshot(undefined, async (snapshot) => {
    const manifests = await writeManifests(snapshot, context.options.signal)
    return { version: snapshot.version, manifests }
  })
}

/** Whether a table asks for manifests after each commit. */
export function wantsManifests(configuration: ReadonlyMap<string, string>): boolean {
  return property(configuration, 'compatibility.symlinkFormatManifest.enabled')
}

/**
 * Writes a manifest for each partition, and deletes those of partitions that hold nothing any more.
 *
 * @returns the keys of those written, in order
 * @throws DeltaError as `executeGenerate`
 */
export async function writeManifests(snapshot: Snapshot, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const { store, layout } = snapshot
  if (layout.columnMapping !== 'none') {
    throw deltaError('DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING', { path: store.location })
  }
  const manifests = await pathsByManifest(snapshot, signal)
  const call = signal && { signal }
  await mapParallel([...manifests], PARALLEL, ([key, paths]) => {
    const text = paths.sort().map((path) => `${path}\n`)
    return store.put(key, encodeUtf8(text.join('')), call)
  })
  const stale: string[] = []
  for await (const page of store.list({ prefix: FOLDER, ...call })) {
    for (const { key } of page) if (key.endsWith('/manifest') && !manifests.has(key)) stale.push(key)
  }
  await mapParallel(stale, PARALLEL, (key) => store.delete(key, call))
  return [...manifests.keys()].sort()
}

async function pathsByManifest(
  snapshot: Snapshot,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, string[]>> {
  const { store, layout, files } = snapshot
  const columns = physicalPartitionColumns(layout)
  const manifests = new Map<string, string[]>()
  // a table without partitions has its manifest even when it has no file
  if (columns.length === 0) manifests.set(`${FOLDER}manifest`, [])
  for await (const page of files.select(undefined, signal && { signal })) {
    for (const file of page) {
      if (file.deletionVector !== undefined) {
        throw deltaError('DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS', { path: store.location })
      }
      const key = `${FOLDER}${folderOf(file, columns)}manifest`
      const paths = manifests.get(key) ?? []
      paths.push(absolutePath(file.path, store))
      manifests.set(key, paths)
    }
  }
  return manifests
}

function folderOf({ partitionValues }: AddFile, columns: readonly string[]): string {
  return partitionDirectory(columns.map((name) => [name, partitionValues.get(name) ?? null] as const))
}

/** Plain, as the reference writes it: a path of the local file system has `file:` before it. */
function absolutePath(path: string, { location }: ObjectStore): string {
  const place = locateDataFile(location, path)
  const plain = place.kind === 'absolute' ? place.path : `${location.replace(/\/+$/, '')}/${place.key}`
  return plain.startsWith('/') ? `file:${plain}` : plain
}
