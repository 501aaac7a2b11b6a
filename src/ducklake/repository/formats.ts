/** Which formats new versions are published in. */
import { deltaError } from '../../errors/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import { WRITE_FORMATS } from '../catalog/formats.ts'
import { type CatalogFormat, CONFIG_KEY, parseConfig, printObject } from './layout.ts'
import { Repository } from './repository.ts'

const ATTEMPTS = 10

/** Adds a format, or changes until when it is published. */
export async function setFormat(repository: Repository, format: CatalogFormat): Promise<Repository> {
  if (!WRITE_FORMATS.some((known) => known === format.ducklake)) {
    const advice = `the formats that are written are ${WRITE_FORMATS.join(' and ')}`
    throw deltaError('LAKE_USAGE', { problem: `DuckLake ${format.ducklake} is no format this version writes`, advice })
  }
  return await change(repository, (formats) => [
    ...formats.filter(({ ducklake }) => ducklake !== format.ducklake),
    format,
  ])
}

/** Versions are no longer published in the format; those there are keep theirs. */
export async function unsetFormat(repository: Repository, ducklake: string): Promise<Repository> {
  return await change(repository, (formats) => formats.filter((format) => format.ducklake !== ducklake))
}

async function change(
  { store, root }: Repository,
  edit: (formats: readonly CatalogFormat[]) => readonly CatalogFormat[],
): Promise<Repository> {
  if (store.replaceIf === undefined) throw deltaError('DUCKLAKE_STORE_NO_SWAP', { root })
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const bytes = await store.get(CONFIG_KEY)
    const config = parseConfig(bytes, root)
    const formats = [...edit(config.formats ?? [])].sort((a, b) => (a.ducklake < b.ducklake ? 1 : -1))
    const json = { ...config.json, catalog_formats: formats }
    if ((await store.replaceIf(CONFIG_KEY, encodeUtf8(printObject(json)), bytes)) === 'replaced') break
  }
  return await Repository.open(store)
}
