/** How data files of a table are to be written, from its properties; and files written as actions. */

import type { WritePlan, WrittenFile } from '../../engine/index.ts'
import { deltaError } from '../../errors/index.ts'
import { parseExpression } from '../../expressions/index.ts'
import {
  type AddFile,
  encodePath,
  physicalName,
  property,
  type StatisticsColumns,
  type TableLayout,
} from '../../kernel/index.ts'
import { findField, type StructType } from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'

const TARGET_FILE_BYTES = 128 * 1024 * 1024

export interface WriteTarget {
  readonly store: ObjectStore
  readonly layout: TableLayout
  /** the table's properties as they will be */
  readonly configuration: ReadonlyMap<string, string>
}

/** @throws DeltaError `DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED` for a property whose text is no value of it */
export function writePlanOf({ store, layout, configuration }: WriteTarget): WritePlan {
  return {
    store,
    layout,
    compression: compressionOf(configuration),
    targetFileSize: TARGET_FILE_BYTES,
    statistics: statisticsOf(layout, configuration),
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

function statisticsOf(layout: TableLayout, configuration: ReadonlyMap<string, string>): StatisticsColumns {
  const stringPrefixLength = property(configuration, 'dataSkippingStringPrefixLength')
  const named = property(configuration, 'dataSkippingStatsColumns')
  if (named === undefined) {
    return { kind: 'first', limit: property(configuration, 'dataSkippingNumIndexedCols'), stringPrefixLength }
  }
  return { kind: 'named', paths: columnPaths(named).map((path) => physicalPath(path, layout)), stringPrefixLength }
}

/** The names of a comma list, parts between dots, either in backticks where they need them. */
function columnPaths(text: string): string[][] {
  const names = text.match(/(?:`(?:[^`]|``)*`|[^,`])+/g) ?? []
  return names.map((name) => {
    const expression = parseExpression(name)
    return expression.kind === 'column' ? [...expression.path] : [name.trim()]
  })
}

function physicalPath(path: readonly string[], layout: TableLayout): string[] {
  let struct: StructType | undefined = layout.schema
  return path.map((part) => {
    const found = struct && findField(struct, part)
    struct = found?.type.kind === 'struct' ? found.type : undefined
    return found === undefined ? part : physicalName(found, layout)
  })
}

/** The action that puts a written file into the table. */
export function addFileOf({ key, partitionValues, size, modificationTime, stats }: WrittenFile): AddFile {
  return { path: encodePath(key), partitionValues, size, modificationTime, dataChange: true, stats }
}
