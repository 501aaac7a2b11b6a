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
/** A longer name spreads files no further. */
const MAX_PREFIX = 32

export interface WriteTarget {
  readonly store: ObjectStore
  readonly layout: TableLayout
  /** the table's properties as they will be */
  readonly configuration: ReadonlyMap<string, string>
  /** its domains: clustering columns have statistics in every file */
  readonly domains?: ReadonlyMap<string, DomainMetadata>
  /** bytes of a file, about, where the write asks for a size of its own */
  readonly targetFileSize?: number
  /** rows of a file at most */
  readonly maxRecordsPerFile?: number
}

/** @throws DeltaError `DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED` for a property whose text is no value of it */
export function writePlanOf(target: WriteTarget): WritePlan {
  const {
    store,
    layout,
    configuration,
    domains = new Map(),
    targetFileSize = targetSizeOf(configuration),
    maxRecordsPerFile,
  } = target
  return {
    store,
    layout,
    compression: compressionOf(configuration),
    targetFileSize,
    ...(maxRecordsPerFile !== undefined && { maxRecordsPerFile }),
    statistics: statisticsColumns({ layout, configuration, domains }),
    ...(property(configuration, 'enableDeletionVectors') && { tightBounds: true }),
    ...(property(configuration, 'randomizeFilePrefixes') && {
      randomPrefixLength: Math.min(property(configuration, 'randomPrefixLength'), MAX_PREFIX),
    }),
  }
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['k', 1024],
  ['m', 1024 ** 2],
  ['g', 1024 ** 3],
])

/** A property that other engines set on a table; the reference refuses to set it, so that this package does not either. */
const TARGET_PROPERTY = 'delta.targetfilesize'

function targetSizeOf(configuration: ReadonlyMap<string, string>): number {
  return tableTargetSize(configuration) ?? TARGET_FILE_BYTES
}

/** The size that the table itself asks of its files, in bytes, if any. */
export function tableTargetSize(configuration: ReadonlyMap<string, string>): number | undefined {
  const text = [...configuration].find(([key]) => key.toLowerCase() === TARGET_PROPERTY)?.[1]
  return text === undefined ? undefined : parseFileSize(text)
}

/**
 * Bytes of a size as text: `134217728`, `64MB`, `1 GiB`; units are powers of 1,024.
 *
 * @returns undefined for what is no size from one byte on
 */
export function parseFileSize(text: string): number | undefined {
  const match = /^\s*(\d{1,15})\s*(?:([kmg])(?:i?b)?|b)?\s*$/i.exec(text)
  const size = match === null ? 0 : Number(match[1]) * UNITS.get(match[2]?.toLowerCase() ?? '')!
  return size >= 1 && Number.isSafeInteger(size) ? size : undefined
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
