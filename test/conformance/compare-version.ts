/** One version of a table read through the kernel and an engine, compared with its recording. */
import { createHash } from 'node:crypto'
import type { Engine } from '../../src/engine/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { type AddFile, loadSnapshot, type Snapshot } from '../../src/kernel/index.ts'
import { type StructType, typeToJson } from '../../src/schema/index.ts'
import type { ObjectStore } from '../../src/storage/index.ts'
import { printJson, sortTexts } from '../../src/support/index.ts'
import { recordedText, rowText } from './canonical-rows.ts'
import { derivedText, isComparable } from './derived-rows.ts'
import type { RecordedVersion } from './recorded-tables.ts'

const NO_COLUMNS = 'DELTA_READ_TABLE_WITHOUT_COLUMNS: the table has no columns'

/** What reading a version gave: differences from the recording, or the error that stopped it. */
export interface Outcome {
  readonly differences: readonly string[]
  /** `CODE: message` */
  readonly error?: string
}

export interface CompareOptions {
  readonly version: number
  readonly recorded: RecordedVersion
  /** facts that are not compared */
  readonly except: readonly string[]
  readonly rows: boolean
}

export async function compareVersion(engine: Engine, store: ObjectStore, options: CompareOptions): Promise<Outcome> {
  const { version, recorded } = options
  const differences: string[] = []
  try {
    const snapshot = await loadSnapshot(store, engine, { version })
    try {
      differences.push(...(await compareFacts(snapshot, recorded, options.except)))
      if (!options.except.includes('checksum')) {
        differences.push(...snapshot.warnings.filter((text) => text.includes('disagrees with the log')))
      }
      // the reference refuses to read a table without columns, and there is nothing to read
      if (snapshot.schema.fields.length === 0) return { differences, error: NO_COLUMNS }
      if (options.rows) differences.push(...(await compareRows(engine, snapshot, recorded)))
    } finally {
      await snapshot.close()
    }
    return { differences }
  } catch (error) {
    if (!isDeltaError(error)) throw error
    return { differences, error: `${error.code}: ${error.message}` }
  }
}

async function compareFacts(
  snapshot: Snapshot,
  recorded: RecordedVersion,
  except: readonly string[],
): Promise<string[]> {
  const differences: string[] = []
  const compare = (what: string, ours: unknown, theirs: unknown) => {
    if (theirs === undefined || theirs === null || except.includes(what)) return
    const [a, b] = [canonicalJson(ours), canonicalJson(theirs)]
    if (a !== b) differences.push(`${what}: ${cut(a)} instead of ${cut(b)}`)
  }
  const { protocol, metadata } = snapshot
  const files = await snapshot.files.totals()
  compare('schema', JSON.parse(printJson(typeToJson(snapshot.schema))), recorded.schema)
  compare('partitionColumns', snapshot.partitionColumns, recorded.partitionColumns)
  compare('protocol', protocolFacts(protocol), recorded.protocol && protocolFacts(recorded.protocol))
  compare('properties', Object.fromEntries(metadata.configuration), recorded.properties)
  compare('numFiles', files.numFiles, recorded.numFiles)
  compare('sizeInBytes', files.sizeInBytes, recorded.sizeInBytes)
  const domains = [...snapshot.domains.values()].map(({ domain, configuration }) => [domain, configuration])
  compare('domains', domains.sort(), recorded.domainMetadata?.map((d) => [d.domain, d.configuration]).sort())
  const transactions = [...snapshot.transactions.values()].map(({ appId, version }) => [appId, String(version)])
  compare('txns', transactions.sort(), recorded.setTransactions?.map((t) => [t.appId, String(t.version)]).sort())
  return differences
}

function protocolFacts(protocol: {
  readonly minReaderVersion: number
  readonly minWriterVersion: number
  readonly readerFeatures?: readonly string[]
  readonly writerFeatures?: readonly string[]
}): unknown {
  const sorted = (names: readonly string[] | undefined) => [...(names ?? [])].sort()
  const { minReaderVersion, minWriterVersion, readerFeatures, writerFeatures } = protocol
  return { minReaderVersion, minWriterVersion, reader: sorted(readerFeatures), writer: sorted(writerFeatures) }
}

async function compareRows(engine: Engine, snapshot: Snapshot, recorded: RecordedVersion): Promise<string[]> {
  const { schema } = snapshot
  const ours = await readRows(engine, snapshot)
  if (recorded.rowCount !== undefined && recorded.rowCount !== ours.length) {
    return [`${ours.length} rows instead of ${recorded.rowCount}`]
  }
  if (recorded.rowsSha256 !== undefined) return compareSum(ours, recorded.rowsSha256)
  const theirs = recordedTexts(recorded, schema)?.sort()
  if (theirs === undefined) return []
  ours.sort()
  const extra = minus(ours, theirs)
  const missing = minus(theirs, ours)
  if (extra.length === 0 && missing.length === 0) return []
  return [
    `rows (${ours.length} instead of ${theirs.length}): ${extra.length} too many, the first ${cut(extra[0] ?? '-')}; ` +
      `${missing.length} missing, the first ${cut(missing[0] ?? '-')}`,
  ]
}

function recordedTexts({ rows, derivedRows }: RecordedVersion, schema: StructType): string[] | undefined {
  if (rows !== undefined) return rows.map((row) => recordedText(row, schema))
  return isComparable(schema) ? derivedRows?.map((line) => derivedText(line, schema)) : undefined
}

/** Sums are taken over texts in code point order. */
function compareSum(rows: readonly string[], expected: string): string[] {
  const hash = createHash('sha256')
  for (const [i, row] of sortTexts([...rows]).entries()) hash.update(i === 0 ? row : `\n${row}`)
  const sum = hash.digest('hex')
  return sum === expected ? [] : [`rows have the sum ${sum} instead of ${expected}`]
}

/** Every row of a snapshot, in the canonical form. */
export async function readRows(engine: Engine, snapshot: Snapshot): Promise<string[]> {
  const { store, layout, schema } = snapshot
  const files: AddFile[] = []
  for await (const page of snapshot.files.select()) files.push(...page)
  const rows: string[] = []
  const columns = schema.fields.map((_, i) => i)
  for await (const batch of engine.scan({ store, layout, files, columns })) {
    const values = columns.map((column) => batch.column(column))
    for (let i = 0; i < batch.numRows; i++) {
      rows.push(
        rowText(
          values.map((column) => column[i]!),
          schema,
        ),
      )
    }
  }
  return rows
}

/** The items of one list that the other lacks, counting repeats. */
function minus(items: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const other of others) counts.set(other, (counts.get(other) ?? 0) + 1)
  return items.filter((item) => {
    const count = counts.get(item) ?? 0
    counts.set(item, count - 1)
    return count <= 0
  })
}

/** JSON with the keys of objects in order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
