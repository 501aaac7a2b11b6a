/**
 * Deletes what no kept version reads.
 *
 * Kept are the versions that refs name, those their history holds (all of it, or what `retention` in fdl.json keeps) and
 * everything younger than the grace period, for a publisher may be at work on it. Nothing outside of `data/` and
 * `versions/` is looked at.
 */
import { type Clock, DAY_MS, HOUR_MS, systemClock } from '../../support/index.ts'
import { DATA, HEADS, type VersionRecord, versionKey } from './layout.ts'
import { filesRead, type Removal, remove } from './removal.ts'
import { type Repository, sizeIfThere } from './repository.ts'

export interface GcOptions {
  /** 24 when absent */
  readonly graceHours?: number
  /** false: only the plan is made */
  readonly execute: boolean
  readonly clock?: Clock
}

/** @throws DeltaError what reading refs and versions throws: a repository that is not sound is not cleaned */
export async function collectGarbage(repository: Repository, options: GcOptions): Promise<Removal> {
  const now = (options.clock ?? systemClock).now()
  const before = now - (options.graceHours ?? 24) * HOUR_MS
  const keep = await keptVersions(repository, now)
  const young = await youngVersions(repository, before)
  const stay = new Set([...keep, ...young])
  const read = await filesRead(repository, stay)
  const objects: { key: string; bytes: number }[] = []
  for await (const page of repository.store.list({ prefix: DATA })) {
    for (const { key, size, modifiedMs } of page)
      if (!read.has(key) && isOld(modifiedMs, before)) objects.push({ key, bytes: size })
  }
  const versions: string[] = []
  for (const id of await repository.versionIds()) {
    if (stay.has(id)) continue
    const isNamed = (await sizeIfThere(repository.store, versionKey(id))) !== undefined
    if (isNamed && (await repository.version(id)).withdrawn === undefined) versions.push(id)
    for await (const page of repository.store.list({ prefix: `versions/${id}/` })) {
      for (const { key, size, modifiedMs } of page) {
        if (!key.endsWith('/version.json') && isOld(modifiedMs, before)) objects.push({ key, bytes: size })
      }
    }
  }
  const removal: Removal = { versions, tags: [], objects }
  if (options.execute) await remove(repository, removal, { at: new Date(now).toISOString(), reason: 'removed by gc' })
  return removal
}

/** A store that tells no times keeps everything. */
function isOld(modifiedMs: number, before: number): boolean {
  return modifiedMs > 0 && modifiedMs < before
}

async function keptVersions(repository: Repository, now: number): Promise<Set<string>> {
  const keep = new Set<string>()
  const { days, keep: count } = repository.config.retention
  const isLimited = days !== undefined || count !== undefined
  for (const { key, id } of await repository.refs()) {
    keep.add(id)
    if (!key.startsWith(HEADS)) continue
    let place = 0
    for await (const version of repository.history(id)) {
      const isRecent = days !== undefined && now - Date.parse(version.createdAt) <= days * DAY_MS
      if (!isLimited || isRecent || (count !== undefined && place < count)) keepVersion(keep, version)
      place++
    }
  }
  return keep
}

function keepVersion(keep: Set<string>, version: VersionRecord): void {
  if (version.withdrawn === undefined) keep.add(version.id)
}

/** Versions that were made within the grace period: their publisher may be about to move the ref. */
async function youngVersions(repository: Repository, before: number): Promise<Set<string>> {
  const young = new Set<string>()
  for await (const page of repository.store.list({ prefix: 'versions/' })) {
    for (const { key, modifiedMs } of page) if (!isOld(modifiedMs, before)) young.add(key.split('/')[1]!)
  }
  return young
}
