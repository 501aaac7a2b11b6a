/** How data files of a table are to be written, from its properties; and files written as actions. */

import type { WritePlan, WrittenFile } from '../../engine/index.ts'
import { deltaError } from '../../errors/index.ts'
import {
  type AddFile,
  type DomainMetadata,
  encodePath,
  property,
  statisticsColumns,
  type TableLayout,
} from '../../kernel/index.ts'
import type { ObjectStore } from '../../storage/index.ts'

const TARGET_FILE_BYTES = 128 * 1024 * 1024

export interface WriteTarget {
  readonly store: ObjectStore
  readonly layout: TableLayout
  /** the table's properties as they will be */
  readonly configuration: ReadonlyMap<string, string>
  /** its domains: clustering columns have statistics in every file */
  readonly domains?: ReadonlyMap<string, DomainMetadata>
}

/** @throws DeltaError `DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED` for a property whose text is no value of it */
export function writePlanOf({ store, layout, configuration, domains = new Map() }: WriteTarget): WritePlan {
  return {
    store,
    layout,
    compression: compressionOf(configuration),
    targetFileSize: TARGET_FILE_BYTES,
    statistics: statisticsColumns({ layout, configuration, domains }),
    ...(property(configuration, 'enableDeletionVectors') && { tightBounds: true }),
  }
}

function compressionOf(configuration: ReadonlyMap<string, string>): WritePlan['compression'] {
  const codec = property(configuration, 'parquet.compression.codec')?.trim().toLowerCase()
  if (codec === undefined || codec === 'zstd') return 'zstd'
  if (codec === 'snappy') return 'snappy'
  if (codec === 'none' || codec === 'uncompressed') return 'uncompressed'
  throw deltaError('LAKE_INVALID_OPTION', {
    option: 'delta.parquet.compression.codec',
    value: codec,
    allowed: 'files are written with zstd, snappy or none',
  })
}

/** The action that puts a written file into the table. */
export function addFileOf({ key, partitionValues, size, modificationTime, stats }: WrittenFile): AddFile {
  return { path: encodePath(key), partitionValues, size, modificationTime, dataChange: true, stats }
}
