/** What a data file says of itself: its columns, its rows, and the bounds that its row groups prove. */
import { compareValues } from '../../kernel/index.ts'
import { checkPages, type GroupStatistics, groupStatistics, inferSchema, openParquet } from '../../parquet/index.ts'
import {
  arrayType,
  type DataType,
  field,
  mapType,
  type StructType,
  structType,
  type Value,
} from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { storeFile } from './store-file.ts'

/** As `FileFooter` of the engine port. */
export interface ReadFooter {
  readonly schema: StructType
  readonly numRecords: number
  nullCount(path: readonly string[]): number | undefined
  bound(side: 'min' | 'max', path: readonly string[], type: DataType): Exclude<Value, null> | undefined
}

/**
 * Reads a footer, and no row; the pages as well where their checksums are to be checked.
 *
 * @param file its key, and its size in bytes
 * @throws DeltaError `FAILED_READ_FILE.NO_HINT`, `FAILED_READ_FILE.FILE_NOT_EXIST`, `DELTA_UNSUPPORTED_DATA_TYPE`,
 * `LAKE_PARQUET_UNSUPPORTED`
 */
export async function readFooter(
  store: ObjectStore,
  file: { readonly key: string; readonly size: number },
  { signal, checkPages: withPages = false }: { readonly signal?: AbortSignal; readonly checkPages?: boolean } = {},
): Promise<ReadFooter> {
  const parquet = storeFile(store, file.key, file.size, { signal })
  const reader = await openParquet(parquet)
  if (withPages) await checkPages(parquet)
  const groups = reader.footer.rowGroups.map((group) => groupStatistics(reader, group))
  return {
    schema: plainStruct(inferSchema(reader.footer.root)),
    numRecords: reader.footer.numRows,
    nullCount: (path) => nullCount(groups, path),
    bound: (side, path, type) => (isInexact(type) ? undefined : bound(groups, { side, path, type })),
  }
}

/** Bounds of these leave NaN out, which is greater than every number. */
function isInexact({ kind }: DataType): boolean {
  return kind === 'float' || kind === 'double'
}

function nullCount(groups: readonly GroupStatistics[], path: readonly string[]): number | undefined {
  let sum = 0n
  for (const group of groups) {
    const count = group.nullCount(path)
    if (count === undefined) return undefined
    sum += count
  }
  return Number(sum)
}

interface Asked {
  readonly side: 'min' | 'max'
  readonly path: readonly string[]
  readonly type: DataType
}

/** A group of nothing but nulls has no bound and needs none. */
function bound(groups: readonly GroupStatistics[], { side, path, type }: Asked): Exclude<Value, null> | undefined {
  let result: Exclude<Value, null> | undefined
  for (const group of groups) {
    const value = group.bound(side, path, type)
    if (value === undefined && group.nullCount(path) === group.numRecords) continue
    if (value === undefined) return undefined
    const order = result === undefined ? 0 : compareValues(value, result, type)!
    if (result === undefined || (side === 'min' ? order < 0 : order > 0)) result = value
  }
  return result
}

/** All nullable, and without field ids: what one file has is no rule for others. */
function plainStruct({ fields }: StructType): StructType {
  return structType(fields.map(({ name, type }) => field(name, plain(type))))
}

function plain(type: DataType): DataType {
  switch (type.kind) {
    case 'struct':
      return plainStruct(type)
    case 'array':
      return arrayType(plain(type.element), true)
    case 'map':
      return mapType(plain(type.key), plain(type.value), true)
    default:
      return type
  }
}
