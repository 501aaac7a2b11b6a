/** What columns data files have, from their footers alone. */
import { openDataFile, type ScanFile } from '../../kernel/index.ts'
import { inferSchema, openParquet } from '../../parquet/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { mapParallel, throwIfAborted } from '../../support/index.ts'
import type { EngineOptions, FileSchema } from '../index.ts'
import { storeFile } from './store-file.ts'

const PARALLEL = 8
/** Files whose footers are read before their schemas are given. */
const PAGE_FILES = 64

/** See `Engine.readSchemas`. */
export async function* readSchemas<File extends ScanFile>(
  store: ObjectStore,
  files: readonly File[],
  { signal, onProgress }: EngineOptions = {},
): AsyncGenerator<FileSchema<File>> {
  for (let start = 0; start < files.length; start += PAGE_FILES) {
    const page = files.slice(start, start + PAGE_FILES)
    yield* await mapParallel(page, PARALLEL, async (file) => {
      throwIfAborted(signal, 'reading the columns of files')
      const place = openDataFile(store, file.path)
      const { footer } = await openParquet(storeFile(place.store, place.key, file.size, { signal }))
      return { file, schema: inferSchema(footer.root) }
    })
    onProgress?.({ rows: 0, bytes: 0, files: start + page.length })
  }
}
