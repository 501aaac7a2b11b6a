/** Files of a table in groups that are each read as one, and groups in commits. */
import { type AddFile, type PartitionColumn, partitionKey, physicalName, type TableLayout } from '../../kernel/index.ts'
import { byAge, type LayoutStrategy } from './strategy.ts'

/** Files of one partition that are read as one. */
export interface Bin {
  /** the same for every bin of a partition */
  readonly partition: string
  readonly files: readonly AddFile[]
  readonly size: number
}

/** Files by partition: two spellings of a value are one partition. */
export function groupByPartition(files: readonly AddFile[], layout: TableLayout): ReadonlyMap<string, AddFile[]> {
  const columns = partitionColumns(layout)
  const partitions = new Map<string, AddFile[]>()
  for (const file of files) {
    const key = partitionKey(file.partitionValues, columns)
    const known = partitions.get(key)
    if (known === undefined) partitions.set(key, [file])
    else known.push(file)
  }
  return partitions
}

export function partitionColumns(layout: TableLayout): readonly PartitionColumn[] {
  return layout.partitionColumns.map((name) => {
    const field = layout.schema.fields.find((candidate) => candidate.name === name)!
    return { physicalName: physicalName(field, layout), type: field.type }
  })
}

/** The groups of each partition, as the strategy packs them; what is not worth writing anew is left out. */
export function packBins(
  partitions: ReadonlyMap<string, readonly AddFile[]>,
  strategy: LayoutStrategy,
): readonly Bin[] {
  return Array.from(partitions, ([partition, files]) =>
    packFiles(strategy.prepare(files), strategy.maxBinSize)
      .filter((bin) => bin.files.length > 1 || strategy.takesAlone(bin.files[0]!))
      .map(({ files, size }) => ({ partition, size, files: [...files].sort(byAge) })),
  ).flat()
}

/** A group is ended by the file that would make it too large. */
function packFiles(files: readonly AddFile[], maxSize: number): { files: AddFile[]; size: number }[] {
  const bins: { files: AddFile[]; size: number }[] = []
  for (const file of files) {
    const last = bins.at(-1)
    if (last === undefined || last.size + file.size > maxSize) bins.push({ files: [file], size: file.size })
    else {
      last.files.push(file)
      last.size += file.size
    }
  }
  return bins
}

/** Groups that go into one commit each: as many as fit into `batchSize` bytes, at least one. */
export function batchesOf(bins: readonly Bin[], batchSize: number): readonly (readonly Bin[])[] {
  const batches: Bin[][] = []
  let size = 0
  for (const bin of bins) {
    if (batches.length === 0 || size + bin.size > batchSize) {
      batches.push([])
      size = 0
    }
    batches.at(-1)!.push(bin)
    size += bin.size
  }
  return batches
}
