/** A new repository: fdl.json and HEAD. */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import { type CatalogFormat, CONFIG_KEY, HEAD_KEY, HEADS, LAYOUT, printObject } from './layout.ts'
import { Repository } from './repository.ts'

export interface InitOptions {
  /** formats new versions are published in; 1.1 and 1.0 when absent, none when empty */
  readonly formats?: readonly CatalogFormat[]
  /** the branch HEAD names; `main` when absent */
  readonly branch?: string
}

/** @throws DeltaError `DUCKLAKE_REPOSITORY_EXISTS` */
export async function initRepository(store: ObjectStore, options: InitOptions = {}): Promise<Repository> {
  const formats = options.formats ?? [{ ducklake: '1.1' }, { ducklake: '1.0' }]
  const config = { format: LAYOUT, ...(formats.length > 0 && { catalog_formats: formats }) }
  // the config comes last: without it there is no repository, and a rerun goes on
  await store.putIfAbsent(HEAD_KEY, encodeUtf8(`ref: ${HEADS}${options.branch ?? 'main'}\n`))
  const answer = await store.putIfAbsent(CONFIG_KEY, encodeUtf8(printObject(config)))
  if (answer === 'exists') throw deltaError('DUCKLAKE_REPOSITORY_EXISTS', { root: store.location })
  return await Repository.open(store)
}
