/** The Parquet files of a folder, and the partition values that the folders below it stand for. */
import { deltaError } from '../../errors/index.ts'
import {
  formatPartitionValue,
  NULL_DIRECTORY,
  type PartitionValues,
  parsePartitionValue,
  unescapeHive,
} from '../../kernel/index.ts'
import { foldCase, formatType, type StructField } from '../../schema/index.ts'
import type { OperationContext } from '../context.ts'

export interface FoundFile {
  readonly key: string
  readonly size: number
  readonly modifiedMs: number
  readonly partitionValues: PartitionValues
}

/**
 * All files but hidden ones, whose names or folders begin with `_` or `.`, unless a partition column does.
 *
 * @throws DeltaError the codes of `executeConvert` that speak of partitions
 */
export async function findFiles(
  partitionBy: readonly StructField[],
  { store, options: { signal } }: OperationContext,
): Promise<readonly FoundFile[]> {
  const files: FoundFile[] = []
  for await (const page of store.list({ prefix: '', ...(signal && { signal }) })) {
    for (const { key, size, modifiedMs } of page) {
      if (isHidden(key, partitionBy)) continue
      files.push({ key, size, modifiedMs, partitionValues: valuesOf(key, partitionBy) })
    }
  }
  return files
}

function isHidden(key: string, partitionBy: readonly StructField[]): boolean {
  return key.split('/').some((segment) => {
    if (!segment.startsWith('_') && !segment.startsWith('.')) return false
    return !partitionBy.some(({ name }) => foldCase(segment).startsWith(`${foldCase(name)}=`))
  })
}

function valuesOf(key: string, partitionBy: readonly StructField[]): PartitionValues {
  const pairs = key
    .split('/')
    .slice(0, -1)
    .filter((segment) => segment.indexOf('=') > 0)
    .map((segment) => [segment.slice(0, segment.indexOf('=')), segment.slice(segment.indexOf('=') + 1)] as const)
  const found = pairs.map(([name]) => unescapeHive(name))
  if (found.length !== partitionBy.length) {
    const expected = partitionBy.map(({ name }) => name)
    throw deltaError('DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME', { file: key, found, expected })
  }
  return new Map(
    partitionBy.map((column, i) => {
      if (foldCase(found[i]!) !== foldCase(column.name)) {
        const details = { file: key, found: found[i], expected: column.name }
        throw deltaError('DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME', details)
      }
      return [column.name, partitionValue(pairs[i]![1], column, key)]
    }),
  )
}

/** The text a log has for the value of a folder. */
function partitionValue(text: string, { name, type }: StructField, file: string): string | null {
  if (text === NULL_DIRECTORY) return null
  const value = unescapeHive(text)
  try {
    return formatPartitionValue(parsePartitionValue(value, type, { column: name }), type)
  } catch (cause) {
    const details = { file, value, column: name, type: formatType(type) }
    throw deltaError('DELTA_FAILED_CAST_PARTITION_VALUE', details, { cause })
  }
}
