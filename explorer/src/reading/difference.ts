/** What is different between two versions: rows, files, schema, properties, protocol. */
import { type AddFile, fileKey, fileKeyText, formatType, type Snapshot } from '../library.ts'
import type { Cell, Difference } from '../messages.ts'
import { fileChanges, shortName, type TableContext } from './context.ts'
import { pairedRow, pairRows } from './pair-rows.ts'
import { headsOf, type ScannedRow, scanFiles } from './scan-rows.ts'

const MAX_ROWS = 20_000
const MAX_SHOWN = 500
const MAX_REPLAYED = 400

export interface FileDifference {
  /** live at the first version alone */
  readonly gone: readonly AddFile[]
  /** live at the second alone */
  readonly fresh: readonly AddFile[]
}

/** Files live at one of two versions and not at the other, from the commits between them where there are few. */
export async function differingFiles(context: TableContext, from: number, to: number): Promise<FileDifference> {
  const [low, high] = from <= to ? [from, to] : [to, from]
  const difference =
    high - low <= MAX_REPLAYED && low >= context.earliest
      ? await replayed(context, low, high)
      : await compared(await context.snapshot(low), await context.snapshot(high))
  return from <= to ? difference : { gone: difference.fresh, fresh: difference.gone }
}

async function replayed(context: TableContext, low: number, high: number): Promise<FileDifference> {
  // undefined: not live now
  const touched = new Map<string, { readonly wasLive: boolean; path: string; now: AddFile | undefined }>()
  for (let version = low + 1; version <= high; version++) {
    const { adds, removes } = fileChanges(await context.commit(version))
    for (const remove of removes) {
      const key = fileKeyText(fileKey(remove))
      const known = touched.get(key)
      if (known === undefined) touched.set(key, { wasLive: true, path: remove.path, now: undefined })
      else known.now = undefined
    }
    for (const add of adds) {
      const key = fileKeyText(fileKey(add))
      const known = touched.get(key)
      if (known === undefined) touched.set(key, { wasLive: false, path: add.path, now: add })
      else known.now = add
    }
  }
  const before = await context.snapshot(low)
  const gone: AddFile[] = []
  const fresh: AddFile[] = []
  for (const { wasLive, path, now } of touched.values()) {
    const file = wasLive ? await before.files.find(path) : undefined
    if (now === undefined && file !== undefined) gone.push(file)
    if (now !== undefined && file === undefined) fresh.push(now)
  }
  return { gone, fresh }
}

async function compared(before: Snapshot, after: Snapshot): Promise<FileDifference> {
  const old = await filesByKey(before)
  const now = await filesByKey(after)
  return {
    gone: [...old].filter(([key]) => !now.has(key)).map(([, file]) => file),
    fresh: [...now].filter(([key]) => !old.has(key)).map(([, file]) => file),
  }
}

async function filesByKey({ files }: Snapshot): Promise<Map<string, AddFile>> {
  const found = new Map<string, AddFile>()
  for await (const page of files.select()) for (const file of page) found.set(fileKeyText(fileKey(file)), file)
  return found
}

export interface RowDifference {
  readonly files: FileDifference
  readonly before: readonly ScannedRow[]
  readonly after: readonly ScannedRow[]
  readonly paired: ReturnType<typeof pairRows>
  readonly truncated: boolean
}

/** Rows of the files that differ, compared; cells of both sides are in the order of the second version's columns. */
export async function differingRows(context: TableContext, from: number, to: number): Promise<RowDifference> {
  const files = await differingFiles(context, from, to)
  const [old, now] = [await context.snapshot(from), await context.snapshot(to)]
  const limit = MAX_ROWS
  const before = (await scanFiles(context, old, files.gone, { limit })).map((row) => aligned(row, old, now))
  const after = await scanFiles(context, now, files.fresh, { limit })
  const truncated = before.length > limit || after.length > limit
  const names = now.schema.fields.map(({ name }) => name)
  const paired = pairRows(
    before.map(({ cells }) => cells),
    after.map(({ cells }) => cells),
    names,
  )
  return { files, before, after, paired, truncated }
}

function aligned({ cells, file }: ScannedRow, old: Snapshot, now: Snapshot): ScannedRow {
  const places = now.schema.fields.map(({ name }) => old.schema.fields.findIndex((field) => field.name === name))
  return { cells: places.map((place): Cell => cells[place] ?? null), file }
}

export async function difference(context: TableContext, from: number, to: number): Promise<Difference> {
  const [old, now] = [await context.snapshot(from), await context.snapshot(to)]
  const { files, before, after, paired, truncated } = await differingRows(context, from, to)
  const { numFiles } = await now.files.totals()
  return {
    from,
    to,
    columns: headsOf(now.schema),
    gone: paired.gone.slice(0, MAX_SHOWN).map((i) => before[i]!.cells),
    fresh: paired.fresh.slice(0, MAX_SHOWN).map((i) => after[i]!.cells),
    changed: paired.changed
      .slice(0, MAX_SHOWN)
      .map((pair) => pairedRow(before[pair.before]!.cells, after[pair.after]!.cells, pair.columns)),
    filesGone: files.gone.slice(0, MAX_SHOWN).map(({ path }) => shortName(path)),
    filesNew: files.fresh.slice(0, MAX_SHOWN).map(({ path }) => shortName(path)),
    filesKept: numFiles - files.fresh.length,
    schema: schemaDifference(old, now),
    properties: mapDifference(old.configuration, now.configuration),
    protocol: protocolDifference(old, now),
    truncated: truncated || paired.gone.length > MAX_SHOWN || paired.fresh.length > MAX_SHOWN,
  }
}

function schemaDifference(old: Snapshot, now: Snapshot): string[] {
  const columns = ({ schema }: Snapshot) =>
    new Map(
      schema.fields.map(({ name, type, nullable }) => [name, `${formatType(type)}${nullable ? '' : ' NOT NULL'}`]),
    )
  return mapDifference(columns(old), columns(now))
}

function protocolDifference({ protocol: old }: Snapshot, { protocol: now }: Snapshot): string[] {
  const facts = ({ minReaderVersion, minWriterVersion, readerFeatures, writerFeatures }: Snapshot['protocol']) =>
    new Map<string, string>([
      ['minReaderVersion', String(minReaderVersion)],
      ['minWriterVersion', String(minWriterVersion)],
      ...[...new Set([...(readerFeatures ?? []), ...(writerFeatures ?? [])])].map((name): [string, string] => [
        name,
        'listed',
      ]),
    ])
  return mapDifference(facts(old), facts(now))
}

/** `+ name value`, `− name value`, `name: old → new`. */
function mapDifference(old: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  const lines: string[] = []
  for (const [key, value] of old) {
    const next = now.get(key)
    if (next === undefined) lines.push(`− ${key} ${value}`)
    else if (next !== value) lines.push(`${key}: ${value} → ${next}`)
  }
  for (const [key, value] of now) if (!old.has(key)) lines.push(`+ ${key} ${value}`)
  return lines
}
