/** The files of `_delta_log`, told apart by name. */
import type { ObjectStore, Snapshot } from '../library.ts'
import type { LogFileLine } from '../messages.ts'

const MAX_LISTED = 20_000

/** @returns undefined where the store cannot list */
export async function listLog(store: ObjectStore): Promise<LogFileLine[] | undefined> {
  if (!store.capabilities.list) return undefined
  const lines: LogFileLine[] = []
  for await (const page of store.list({ prefix: '_delta_log/' })) {
    for (const { key, size, modifiedMs } of page) {
      const name = key.slice('_delta_log/'.length)
      lines.push({ name, size, modifiedMs, kind: kindOf(name), used: false })
    }
    if (lines.length > MAX_LISTED) break
  }
  return lines
}

function kindOf(name: string): LogFileLine['kind'] {
  if (/^\d{20}\.json$/.test(name)) return 'commit'
  if (/^\d{20}\.checkpoint\./.test(name)) return 'checkpoint'
  if (/^\d{20}\.crc$/.test(name)) return 'checksum'
  if (/^\d{20}\.\d{20}\.compacted\.json$/.test(name)) return 'compacted'
  if (name.startsWith('_sidecars/')) return 'sidecar'
  return name === '_last_checkpoint' ? 'hint' : 'other'
}

/** Marks the files a snapshot was built from. */
export function markUsed(lines: readonly LogFileLine[], { segment }: Snapshot): LogFileLine[] {
  const commits = new Set(segment.commits)
  return lines.map((line) => {
    const version = versionOf(line.name)
    const used =
      (line.kind === 'commit' && version !== undefined && commits.has(version)) ||
      (line.kind === 'checkpoint' && version !== undefined && version === segment.checkpointVersion)
    return { ...line, used }
  })
}

/** Checkpoints and checksums, by version. */
export function marksOf(lines: readonly LogFileLine[]): ReadonlyMap<number, readonly string[]> {
  const marks = new Map<number, string[]>()
  for (const { name, kind } of lines) {
    const version = versionOf(name)
    if (version === undefined || (kind !== 'checkpoint' && kind !== 'checksum')) continue
    const known = marks.get(version) ?? []
    if (!known.includes(kind)) known.push(kind)
    marks.set(version, known)
  }
  return marks
}

export function versionOf(name: string): number | undefined {
  const match = /^(\d{20})\./.exec(name)
  return match === null ? undefined : Number(match[1])
}
