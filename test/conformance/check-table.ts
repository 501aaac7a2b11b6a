/** Every version of a recorded table, read by an engine, against its recording. */
import type { Engine } from '../../src/engine/index.ts'
import { localStore } from '../../src/storage/fs/index.ts'
import { adaptedCopy, isAdapted } from './adapted-tables.ts'
import { compareHistory } from './compare-history.ts'
import { compareVersion, type Outcome } from './compare-version.ts'
import { factsNotCompared, type KnownDifference, knownDifferences } from './known-differences.ts'
import type { RecordedTable, RecordedVersion } from './recorded-tables.ts'

export interface CheckOptions {
  /** a folder for changed copies */
  readonly below: string
  /** rows are read at the latest version and at others, as many as this in all */
  readonly rowVersions: number
  /** only the versions whose rows are read: enough for a second engine over the same kernel */
  readonly fewer: boolean
}

/** @returns one text a difference */
export async function checkTable(engine: Engine, table: RecordedTable, options: CheckOptions): Promise<string[]> {
  const store = localStore(isAdapted(table) ? adaptedCopy(table, options.below) : table.folder)
  const except = factsNotCompared.get(table.name) ?? []
  const faults: string[] = []
  for (const [version, recorded] of table.versions) {
    const rows = readsRows([...table.versions.keys()], version, options.rowVersions)
    if (options.fewer && !rows) continue
    const outcome = await compareVersion(engine, store, { version, recorded, except, rows })
    const known = knownDifferences.get(`${table.name}@${version}`)
    faults.push(...judge(outcome, recorded, { known, rows }).map((fault) => `version ${version}: ${fault}`))
  }
  if (!options.fewer) faults.push(...(await compareHistory(engine, localStore(table.folder), table.history)))
  return faults
}

function readsRows(versions: readonly number[], version: number, rowVersions: number): boolean {
  const step = Math.max(1, Math.ceil(versions.length / rowVersions))
  return (versions.length - 1 - versions.indexOf(version)) % step === 0
}

/** Errors that leave the version itself sound: a data file is absent, or there is no column to read. */
const SOUND = /^(FAILED_READ_FILE\.FILE_NOT_EXIST|DELTA_READ_TABLE_WITHOUT_COLUMNS)/

function judge(
  { differences, error }: Outcome,
  recorded: RecordedVersion,
  { known, rows }: { readonly known: KnownDifference | undefined; readonly rows: boolean },
): string[] {
  const reads = error === undefined || SOUND.test(error)
  if (known?.expect === 'reads') return reads ? [...differences] : [`${error}, but it should read: ${known.why}`]
  if (known !== undefined) {
    const wanted = rows || error !== undefined
    return wanted && !error?.startsWith(`${known.expect}:`)
      ? [`${error ?? 'reads'}, not ${known.expect}: ${known.why}`]
      : []
  }
  const ours = error?.split(':')[0]
  const theirs = recorded.error === undefined ? undefined : (recorded.error.class ?? recorded.error.message)
  // without reading rows an error about a data file does not show
  const unseen = !rows && ours === undefined && recorded.numFiles !== undefined
  if (ours === theirs || unseen) return [...differences]
  return [...differences, `${error ?? 'reads'} instead of ${recorded.error?.message.slice(0, 200) ?? 'rows'}`]
}
