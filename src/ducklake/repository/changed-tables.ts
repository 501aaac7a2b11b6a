/** Which tables changed between two versions of a branch. */
import type { DuckDbOptions } from '../../engine/duckdb/index.ts'
import type { OpenStore } from '../catalog/file-access.ts'
import { parseChanges } from '../snapshot/changes-made.ts'
import { printName } from '../snapshot/names.ts'
import { openVersion } from './open.ts'
import type { Repository } from './repository.ts'

interface Options {
  readonly openStore: OpenStore
  readonly engine?: DuckDbOptions
}

/** @param range `from` undefined: all tables of `to` count as changed */
export async function changedTables(
  repository: Repository,
  { openStore, engine }: Options,
  range: { readonly from: string | undefined; readonly to: string },
): Promise<string[]> {
  const options = { openStore, ...(engine && { engine }) }
  const since = range.from === undefined ? -1 : await newestSnapshot(repository, range.from)
  const open = await openVersion(repository, await repository.version(range.to), options)
  try {
    const names = new Set<string>()
    const snapshot = await open.lake.snapshot()
    const tables = await snapshot.tables()
    for (const info of await open.lake.snapshots()) {
      if (info.id <= since) continue
      for (const { id, name } of parseChanges(info.changes)) {
        if (name !== undefined) names.add(printName(name))
        const table = tables.find((one) => one.id === id)
        if (table !== undefined) names.add(table.name)
      }
    }
    return [...names]
  } finally {
    await open.close()
  }
}

async function newestSnapshot(repository: Repository, id: string): Promise<number> {
  return (await repository.version(id)).main.snapshot ?? -1
}
