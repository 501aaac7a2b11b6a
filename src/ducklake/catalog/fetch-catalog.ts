/** The catalog file in the local file system, where DuckDB can open it. */
import { writeFile } from 'node:fs/promises'
import type { DuckDatabase } from '../../engine/duckdb/index.ts'
import { deltaError, isDeltaError } from '../../errors/index.ts'
import type { CatalogFile } from './catalog.ts'
import type { OpenStore } from './file-access.ts'

interface CatalogPlace {
  readonly catalog: string
  readonly shown?: string
  readonly openStore: OpenStore
}

/**
 * A local file stays where it is; one behind a network is fetched whole.
 *
 * @throws DeltaError `DUCKLAKE_CATALOG_NOT_FOUND`, what the store throws
 */
export async function fetchCatalog(place: CatalogPlace, database: DuckDatabase): Promise<CatalogFile> {
  const { catalog } = place
  const shown = place.shown ?? catalog
  const cut = catalog.lastIndexOf('/')
  const folder = cut < 0 ? '.' : catalog.slice(0, cut) || '/'
  const key = catalog.slice(cut + 1)
  const store = await place.openStore(folder)
  if (store.localPath !== undefined) return { path: store.localPath(key), shown }
  try {
    const path = database.tempFile('.catalog')
    await writeFile(path, await store.get(key))
    return { path, shown }
  } catch (cause) {
    if (!isDeltaError(cause, 'LAKE_OBJECT_NOT_FOUND')) throw cause
    throw deltaError('DUCKLAKE_CATALOG_NOT_FOUND', { catalog: shown }, { cause })
  }
}
