/** Objects of a store as Parquet files. */
import { deltaError, isDeltaError } from '../../errors/index.ts'
import type { ParquetFile } from '../../parquet/index.ts'
import type { ObjectStore } from '../../storage/index.ts'

export interface StoreFileOptions {
  readonly signal?: AbortSignal | undefined
}

/**
 * @param size in bytes, as the log tells; a file of another size cannot be read
 * @throws DeltaError when read: `FAILED_READ_FILE.FILE_NOT_EXIST`, or the store's own
 */
export function storeFile(store: ObjectStore, key: string, size: number, options: StoreFileOptions = {}): ParquetFile {
  const name = `${store.location}/${key}`
  const read = async (start: number, end: number) => {
    try {
      return await store.getRange(key, { start, end }, options.signal === undefined ? {} : { signal: options.signal })
    } catch (cause) {
      if (!isDeltaError(cause, 'LAKE_OBJECT_NOT_FOUND')) throw cause
      throw deltaError('FAILED_READ_FILE.FILE_NOT_EXIST', { file: name, version: 'of the table' }, { cause })
    }
  }
  return { name, size, read }
}
