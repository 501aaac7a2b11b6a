/**
 * Names that stand for tables: those of one session, and those a folder keeps for every session that uses it.
 *
 * A kept name is one small object, `_names/<name>.json`, made only if none is there, so that two sessions never take one
 * name for two tables. A table made without a place of its own lies in the folder under its name and goes with it.
 */
import { deltaError, isDeltaError } from '../errors/index.ts'
import { foldCase } from '../schema/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import { decodeUtf8, encodeUtf8, isJsonObject, parseJson } from '../support/index.ts'

export interface NamedTable {
  /** as it was written, parts joined by dots */
  readonly name: string
  readonly location: string
  /** whether its files go with its name */
  readonly managed: boolean
}

export interface NamesFolder {
  readonly location: string
  readonly store: ObjectStore
}

const PREFIX = '_names/'
const MAX_NAMES = 100_000

export class TableNames {
  private readonly folder: NamesFolder | undefined
  /** by folded name; these come before those of the folder */
  private readonly own = new Map<string, NamedTable>()
  /** by key */
  private kept = new Map<string, { readonly modifiedMs: number; readonly size: number; readonly table: NamedTable }>()
  /** those of the folder by folded name */
  private keptByName = new Map<string, NamedTable>()

  constructor(given: ReadonlyMap<string, string>, folder: NamesFolder | undefined) {
    this.folder = folder
    for (const [name, location] of given) this.own.set(foldCase(name), { name, location, managed: false })
  }

  /** As they were at the last look; a session's own name hides one of the folder. */
  get tables(): readonly NamedTable[] {
    return [...new Map([...this.keptByName, ...this.own]).values()]
  }

  find(name: string): NamedTable | undefined {
    return this.own.get(foldCase(name)) ?? this.keptByName.get(foldCase(name))
  }

  /** Whether names are kept, and tables may be made without a place. */
  get keeps(): boolean {
    return this.folder !== undefined
  }

  /** Looks at the folder; only names that are new or changed are read. */
  async look(): Promise<void> {
    if (this.folder === undefined) return
    const { store } = this.folder
    const kept: typeof this.kept = new Map()
    for await (const page of store.list({ prefix: PREFIX })) {
      for (const { key, modifiedMs, size } of page) {
        const known = this.kept.get(key)
        const same = known?.modifiedMs === modifiedMs && known.size === size && modifiedMs !== 0
        const table = same ? known!.table : await readTable(store, key)
        if (table !== undefined) kept.set(key, { modifiedMs, size, table })
        if (kept.size > MAX_NAMES) throw this.broken(`it keeps more than ${MAX_NAMES} names`)
      }
    }
    this.kept = kept
    this.keptByName = new Map([...kept.values()].map(({ table }) => [foldCase(table.name), table]))
  }

  /** The place of a table that names none. */
  managedLocation(name: string): string {
    return `${this.folder!.location.replace(/\/+$/, '')}/${encodeName(name)}`
  }

  /**
   * Lets a name stand for a place.
   *
   * @throws DeltaError `TABLE_OR_VIEW_ALREADY_EXISTS` where another session took it meanwhile for another place
   */
  async add(table: NamedTable): Promise<void> {
    const known = this.find(table.name)
    if (known?.location === table.location) return
    if (this.folder === undefined || this.own.has(foldCase(table.name))) {
      this.own.set(foldCase(table.name), table)
      return
    }
    const { name, location, managed } = table
    const bytes = encodeUtf8(JSON.stringify({ name, location, managed }))
    const key = keyOf(name)
    const made = await this.folder.store.putIfAbsent(key, bytes)
    await this.look()
    if (made === 'created' || this.find(name)?.location === location) return
    throw deltaError('TABLE_OR_VIEW_ALREADY_EXISTS', { table: name })
  }

  /** @returns the table the name stood for; undefined where there is none */
  async remove(name: string): Promise<NamedTable | undefined> {
    const known = this.find(name)
    if (known === undefined) return undefined
    if (!this.own.delete(foldCase(name))) await this.folder!.store.delete(keyOf(name))
    await this.look()
    return known
  }

  private broken(problem: string) {
    return deltaError('LAKE_USAGE', {
      problem: `the folder of names ${this.folder?.location} cannot be used: ${problem}`,
      advice: 'use another folder',
    })
  }
}

function keyOf(name: string): string {
  return `${PREFIX}${encodeName(name)}.json`
}

/** A name as a part of a path that every store takes. */
function encodeName(name: string): string {
  return encodeURIComponent(foldCase(name))
    .replaceAll('*', '%2A')
    .replace(/^[._]/, (first) => `%${first.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** undefined for what was deleted meanwhile, or is no name of ours */
async function readTable(store: ObjectStore, key: string): Promise<NamedTable | undefined> {
  try {
    const json = parseJson(decodeUtf8(await store.get(key)))
    if (!isJsonObject(json)) return undefined
    const { name, location, managed } = json
    const isName = typeof name === 'string' && typeof location === 'string' && keyOf(name) === key
    return isName ? { name, location, managed: managed === true } : undefined
  } catch (error) {
    if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND') || isDeltaError(error, 'LAKE_JSON_MALFORMED')) return undefined
    throw error
  }
}
