/** What the cases of the engine contract stand on: a small table, its rows as text, assertions. */
import { type ErrorCode, isDeltaError } from '../../errors/index.ts'
import { type AddFile, encodePath, type ScanFile, type TableLayout } from '../../kernel/index.ts'
import { type Row, rowToJson, type StructField, type StructType, structType } from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { Engine, EngineOptions, ScanPlan, WritePlan, WriteResult, WrittenFile } from '../engine.ts'

/** One engine and one empty store that can be written to. */
export interface EngineSubject {
  readonly engine: Engine
  readonly store: ObjectStore
  readonly close?: () => Promise<void>
}

export type Check = readonly [name: string, run: (subject: EngineSubject) => Promise<void>]

export function layoutOf(
  fields: readonly StructField[],
  options: Partial<Omit<TableLayout, 'schema'>> = {},
): TableLayout {
  return { schema: structType(fields), partitionColumns: [], columnMapping: 'none', ...options }
}

export function planOf(store: ObjectStore, layout: TableLayout, options: Partial<WritePlan> = {}): WritePlan {
  const statistics = { kind: 'first', limit: -1, stringPrefixLength: 32 } as const
  return { store, layout, compression: 'snappy', targetFileSize: 128 * 1024 * 1024, statistics, ...options }
}

/** Writes rows that are of the layout's schema already. */
export function writeRows(
  { engine, store }: EngineSubject,
  layout: TableLayout,
  rows: readonly Row[],
  options: Partial<WritePlan> & { readonly call?: EngineOptions } = {},
): Promise<WriteResult> {
  const { call, ...plan } = options
  const source = { kind: 'rows', schema: layout.schema, rows: pages(rows) } as const
  return engine.write(source, planOf(store, layout, plan), call)
}

export async function* pages<T>(...list: readonly T[]): AsyncGenerator<T> {
  yield* list
}

export function addOf(file: WrittenFile, options: Partial<AddFile> = {}): AddFile {
  const { key, partitionValues, size, modificationTime, stats } = file
  return { path: encodePath(key), partitionValues, size, modificationTime, dataChange: true, stats, ...options }
}

export function scanPlan(
  { store }: EngineSubject,
  layout: TableLayout,
  files: readonly ScanFile[],
  options: Partial<ScanPlan> = {},
): ScanPlan {
  return { store, layout, files, columns: layout.schema.fields.map((_, i) => i), ...options }
}

/** The rows of a plan as JSON texts, in the order they come. */
export async function scanTexts(engine: Engine, plan: ScanPlan, call?: EngineOptions): Promise<string[]> {
  const texts: string[] = []
  for await (const batch of engine.scan(plan, call)) {
    const columns = batch.schema.fields.map((_, i) => batch.column(i))
    for (const [i, column] of columns.entries()) equal(column.length, batch.numRows, `length of column ${i}`)
    for (let at = 0; at < batch.numRows; at++) {
      texts.push(
        rowToJson(
          columns.map((column) => column[at]!),
          batch.schema,
        ),
      )
    }
  }
  return texts
}

export function textsOf(rows: readonly Row[], schema: StructType): string[] {
  return rows.map((row) => rowToJson(row, schema))
}

/** Writes rows and expects to read the same, in any order over files. */
export async function expectRoundTrip(
  subject: EngineSubject,
  layout: TableLayout,
  rows: readonly Row[],
): Promise<void> {
  const { files } = await writeRows(subject, layout, rows)
  const plan = scanPlan(
    subject,
    layout,
    files.map((file) => addOf(file)),
  )
  const texts = await scanTexts(subject.engine, plan)
  equal(texts.sort(), textsOf(rows, layout.schema).sort(), 'the rows')
}

export async function rejects(code: ErrorCode, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (isDeltaError(error, code)) return
    throw new Error(`expected ${code}, got ${error instanceof Error ? error.stack : String(error)}`)
  }
  throw new Error(`expected ${code}, got an answer`)
}

export function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [print(actual), print(expected)]
  if (a !== b) throw new Error(`${what}:\n  expected ${b.slice(0, 3000)}\n  got      ${a.slice(0, 3000)}`)
}

function print(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'bigint') return `${member}n`
    return member instanceof Map ? [...member] : member
  })
}

export async function keysOf(store: ObjectStore): Promise<string[]> {
  const keys: string[] = []
  for await (const page of store.list({ prefix: '' })) keys.push(...page.map((meta) => meta.key))
  return keys
}
