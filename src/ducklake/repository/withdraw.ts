/** Takes a version back: its tags, the files nobody else reads, its catalogs. Its version.json stays and says so. */
import { deltaError } from '../../errors/index.ts'
import { type Clock, systemClock } from '../../support/index.ts'
import { HEADS, TAGS, versionFolder } from './layout.ts'
import { filesRead, type Removal, remove } from './removal.ts'
import { getIfThere, type Repository, sizeIfThere } from './repository.ts'

export interface WithdrawOptions {
  readonly reason?: string
  /** false: only the plan is made */
  readonly execute: boolean
  readonly clock?: Clock
}

/**
 * @throws DeltaError `LAKE_USAGE` for a version that a branch names, for its readers would find nothing;
 * `DUCKLAKE_REF_NOT_FOUND`
 */
export async function withdraw(repository: Repository, ref: string, options: WithdrawOptions): Promise<Removal> {
  const id = await repository.resolve(ref)
  await repository.version(id, ref)
  const refs = await repository.refs()
  const branch = refs.find((state) => state.id === id && state.key.startsWith(HEADS))
  if (branch !== undefined) {
    const problem = `${branch.key} names the version ${id}`
    throw deltaError('LAKE_USAGE', { problem, advice: 'publish a version on top of it first' })
  }
  const removal: Removal = {
    versions: [id],
    tags: refs.filter((state) => state.id === id && state.key.startsWith(TAGS)).map(({ key }) => key),
    objects: await objectsOf(repository, id),
  }
  const at = new Date((options.clock ?? systemClock).now()).toISOString()
  if (options.execute) await remove(repository, removal, { at, reason: options.reason ?? '' })
  return removal
}

async function objectsOf(repository: Repository, id: string) {
  const others: string[] = []
  for (const other of await repository.versionIds()) {
    if (other === id || (await getIfThere(repository.store, `${versionFolder(other)}version.json`)) === undefined)
      continue
    if ((await repository.version(other)).withdrawn === undefined) others.push(other)
  }
  const read = await filesRead(repository, others)
  const objects: { key: string; bytes: number }[] = []
  for (const { path } of (await repository.files(id)) ?? []) {
    const bytes = read.has(path) ? undefined : await sizeIfThere(repository.store, path)
    if (bytes !== undefined) objects.push({ key: path, bytes })
  }
  for await (const page of repository.store.list({ prefix: versionFolder(id) })) {
    for (const { key, size } of page) if (!key.endsWith('/version.json')) objects.push({ key, bytes: size })
  }
  return objects
}
