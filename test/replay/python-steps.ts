/**
 * Steps that a script does in Python, done by methods: writes of frames, changes of files behind the engine's back, looks
 * at folders. A step that no method here does is skipped with the reason.
 */
import {
  cpSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Engine } from '../../src/engine/index.ts'
import { isDeltaError } from '../../src/errors/index.ts'
import { planFixedQuery } from '../../src/sql/fixed-query/index.ts'
import type { SqlResult } from '../../src/sql/index.ts'
import type { ObjectStore } from '../../src/storage/index.ts'
import { localBackend } from '../../src/table/index.ts'
import { compareResult, readResult } from './compare-result.ts'
import type { RecordedStatement } from './recorded-statements.ts'

export interface PythonPlace {
  readonly name: string
  /** the recorded table */
  readonly recorded: string
  /** the folder of the table made here */
  readonly table: string
  readonly folder: string
  readonly engine: Engine
  run(sql: string): Promise<SqlResult>
  openStore(location: string): Promise<ObjectStore>
}

export type PythonOutcome =
  | { readonly kind: 'done'; readonly differences: readonly string[] }
  | { readonly kind: 'skipped'; readonly reason: string }

/** What one line of a step, or a whole step, does; it gives the differences it finds, or nothing. */
type Line = (match: RegExpExecArray, place: PythonPlace, step: RecordedStatement) => Promise<unknown>

const LINES: readonly (readonly [RegExp, Line])[] = [
  [/^(import|from) /, async () => {}],
  [/^age\((\d+)\)$/, async ([, hours], { table }) => age(table, Number(hours))],
  [/^checkpoint\(\)$/, async (_, { table, run }) => drain(await run(`CHECKPOINT TABLE delta.\`${table}\``))],
  [/^cdf\((\d+)(?:, (\d+))?\)$/, async ([, from, to], place) => changesOf(place, from!, to)],
  [/^result = \{"all": cdf\(0\), "2\.\.3": cdf\(2, 3\)\}$/, compareChanges],
  [/^(?:\w+|result) = run\("(.*)"\)$/, compareRun],
  [/^result = \[(?:run\("(.*)"\)|r1), log_files\(\)\]$/, compareRunInList],
  [/^result = log_files\(\)$/, async (_, { table }, step) => compareLog(table, step.result)],
  [/^sql\("([^"]*)"\)$/, async ([, sql], { run }) => drain(await run(sql!))],
  [
    /^(?:df = )?spark\.sql\("(.*?)"\)(?:\.write\.(.*)\.save\(P\))?$/,
    async ([, sql, write], place) => writeFrame(place, sql!, write),
  ],
  [/^df\.write\.(.*)\.save\(P\)$/, async ([, write], place) => writeFrame(place, frames.get(place.table)!, write)],
  [
    /^open\(P \+ "([^"]+)", "wb?"\)\.write\(b?"(.*)"\)$/,
    async ([, path, text], { table }) => makeFile(join(table, path!), text!),
  ],
  [
    /^os\.makedirs\(P \+ "([^"]+)", exist_ok=True\)$/,
    async ([, path], { table }) => mkdirSync(join(table, path!), { recursive: true }),
  ],
  [
    /^shutil\.rmtree\(P \+ "([^"]+)"\)$/,
    async ([, path], { table }) => rmSync(join(table, path!), { recursive: true }),
  ],
]

/** Frames that a step keeps under a name, by table. */
const frames = new Map<string, string>()

/** Whole steps, told by a piece of their text. */
const STEPS: readonly (readonly [string, Line])[] = [
  ['.write.partitionBy("p").parquet(P)', async (_, { recorded, table }) => copyData(recorded, table)],
  ['os.rename(P + "/" + add, P + "/" + add + ".away")', async (_, { table }) => moveFirstFile(table, '', '.away')],
  ['os.rename(P + "/" + add + ".away", P + "/" + add)', async (_, { table }) => moveFirstFile(table, '.away', '')],
  ['"_delta_log" not in r', compareDataFolders],
  ['"/_symlink_format_manifest") for f', compareManifests],
  ['f.startswith("stray")', compareStrays],
  ['os.path.exists(P + "/stray.parquet")', compareLastVacuum],
  ['len(run("VACUUM $T RETAIN 0 HOURS DRY RUN")["rows"])', strayFilesAndDryRun],
  ['createOrReplaceTempView("inv")', strayFiles],
  ['cols = ", ".join("c%02d INT"', wideTable],
  ['def w(i, app, v, mode="append")', transactions],
]

const REASONS: readonly (readonly [string, string])[] = [
  ['LogCompactionHook', 'a log compaction file is written by another library'],
  ['time.sleep', 'it waits for a clock'],
  ['inCommitTimestamp', 'it rewrites commits of the reference and asks its own setting'],
  ['DESCRIBE HISTORY', 'it tells times that are of its own run'],
]

/** @returns what differed in what the step found, or why it was not done */
export async function runPython(py: string, step: RecordedStatement, place: PythonPlace): Promise<PythonOutcome> {
  for (const [piece, run] of STEPS) {
    if (py.includes(piece)) return { kind: 'done', differences: listOf(await run(/./.exec(' ')!, place, step)) }
  }
  const skip = REASONS.find(([piece]) => py.includes(piece))
  if (skip !== undefined) {
    for (const line of py.split('\n')) if (/^age\(/.test(line)) age(place.table, Number(/\d+/.exec(line)![0]))
    return { kind: 'skipped', reason: skip[1] }
  }
  const differences: string[] = []
  for (const line of py.split('\n')) {
    const found = LINES.map(([pattern, run]) => ({ match: pattern.exec(line.trim()), run })).find(({ match }) => match)
    if (line.trim() === '') continue
    if (found?.match == null) return { kind: 'skipped', reason: `no method does ${line.trim().slice(0, 80)}` }
    differences.push(...listOf(await found.run(found.match, place, step)))
  }
  return { kind: 'done', differences }
}

function listOf(differences: unknown): readonly string[] {
  return Array.isArray(differences) ? (differences as readonly string[]) : []
}

async function drain({ batches }: SqlResult): Promise<void> {
  for await (const _ of batches);
}

/** Every file of a folder with the path from it, parts joined by `/`. */
function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

/** Moves every file back in time. */
function age(table: string, hours: number): void {
  for (const name of filesOf(table)) {
    const path = join(table, name)
    const { atimeMs, mtimeMs } = lstatSync(path)
    lutimesSync(path, atimeMs / 1000, (mtimeMs - hours * 3_600_000) / 1000)
  }
}

async function changesOf({ run, table }: PythonPlace, from: string, to: string | undefined) {
  const range = to === undefined ? from : `${from}, ${to}`
  return await readResult(
    await run(`SELECT * EXCLUDE (_commit_timestamp) FROM table_changes_by_path('${table}', ${range})`),
  )
}

async function compareChanges(
  _: RegExpExecArray,
  place: PythonPlace,
  { result }: RecordedStatement,
): Promise<string[]> {
  const recorded = result as Readonly<Record<string, RecordedStatement['rows']>>
  const ranges = [['all', '0', undefined] as const, ['2..3', '2', '3'] as const]
  const differences: string[] = []
  for (const [name, from, to] of ranges) {
    const ours = await changesOf(place, from, to)
    const theirs = { sql: 'SELECT', columns: columnsOf(ours.schema), rows: recorded[name] ?? [] }
    differences.push(...compareResult(ours, theirs, (text) => text))
  }
  return differences
}

function columnsOf(schema: Awaited<ReturnType<typeof readResult>>['schema']) {
  return schema.fields.map(({ name, type }) => ({ name, type: type.kind }))
}

interface RecordedRun {
  readonly columns?: RecordedStatement['columns']
  readonly rows?: RecordedStatement['rows']
  readonly error?: RecordedStatement['error']
}

async function compareOneRun(sql: string, recorded: RecordedRun, place: PythonPlace): Promise<string[]> {
  try {
    const ours = await readResult(await place.run(sql))
    if (recorded.error !== undefined) return [`${sql}: accepted instead of ${recorded.error.class}`]
    const theirs = { sql, columns: recorded.columns ?? [], rows: recorded.rows ?? [] }
    return compareResult(ours, theirs, (row) => row.replaceAll(place.folder, `/golden/${place.name}`))
  } catch (error) {
    if (!isDeltaError(error)) throw error
    return error.code === recorded.error?.class
      ? []
      : [`${sql}: ${error.code} (${error.message.slice(0, 200)}) instead of ${recorded.error?.class ?? 'accepted'}`]
  }
}

async function compareRun([line, sql]: RegExpExecArray, place: PythonPlace, { result, py }: RecordedStatement) {
  const inList = !line.startsWith('result')
  const recorded = (inList && py?.includes('[r1,') ? (result as readonly unknown[])[0] : result) as RecordedRun
  return await compareOneRun(sql!, recorded, place)
}

async function compareRunInList([, sql]: RegExpExecArray, place: PythonPlace, { result }: RecordedStatement) {
  const [run, files] = result as readonly [RecordedRun, readonly string[]]
  const differences = sql === undefined ? [] : await compareOneRun(sql, run, place)
  return [...differences, ...compareLog(place.table, files)]
}

/** Names in the log, those of checksums left out and what is drawn. */
function compareLog(table: string, recorded: unknown): string[] {
  const names = (files: readonly string[]) =>
    files
      .filter((name) => !name.endsWith('.crc'))
      .map((name) => name.replace(/[0-9a-f]{8}-[-0-9a-f]+/, 'id'))
      .sort()
      .join(', ')
  const [a, b] = [names(filesOf(join(table, '_delta_log'))), names(recorded as readonly string[])]
  return a === b ? [] : [`the log holds ${a} instead of ${b}`]
}

/** `format("delta").mode("append").option("mergeSchema", "true").partitionBy("p")` */
async function writeFrame(place: PythonPlace, sql: string, write: string | undefined): Promise<void> {
  if (write === undefined) {
    frames.set(place.table, sql)
    return
  }
  const calls = [...write.matchAll(/(\w+)\("([^"]*)"(?:, "([^"]*)")?\)/g)].map(([, name, a, b]) => ({ name, a: a!, b }))
  const option = (key: string) => calls.find(({ name, a }) => name === 'option' && a === key)?.b
  const frame = planFixedQuery(sql, { settle: (expression) => expression })
  if (frame === undefined) throw new Error(`a frame of ${sql} is not read`)
  const { schema } = frame
  const appId = option('txnAppId')
  const replaceWhere = option('replaceWhere')
  await localBackend({ openStore: place.openStore, engine: place.engine }).execute({
    kind: 'write',
    table: { location: place.table },
    source: { kind: 'rows', schema, source: { kind: 'rows', schema, rows: frame.pages() } },
    mode: calls.find(({ name }) => name === 'mode')?.a as 'append' | 'overwrite',
    ...(option('mergeSchema') && { mergeSchema: true }),
    ...(option('overwriteSchema') && { overwriteSchema: true }),
    ...(replaceWhere !== undefined && { replaceWhere }),
    ...partitioning(calls.filter(({ name }) => name === 'partitionBy').map(({ a }) => a)),
    ...(appId !== undefined && { transaction: { appId, version: BigInt(option('txnVersion')!) } }),
  })
}

function partitioning(partitionBy: readonly string[]) {
  return partitionBy.length > 0 ? { partitionBy } : {}
}

function makeFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** The Parquet files a recorded table was made over. */
function copyData(recorded: string, table: string): void {
  const first = readFileSync(join(recorded, '_delta_log', `${'0'.repeat(20)}.json`), 'utf8')
  for (const [, path] of first.matchAll(/"add":\{"path":"([^"]+)"/g)) {
    const name = decodeURIComponent(path!)
    mkdirSync(dirname(join(table, name)), { recursive: true })
    cpSync(join(recorded, name), join(table, name))
  }
}

function moveFirstFile(table: string, from: string, to: string): void {
  const commit = readFileSync(join(table, '_delta_log', `${'1'.padStart(20, '0')}.json`), 'utf8')
  const path = /"add":\{"path":"([^"]+)"/.exec(commit)![1]!
  renameSync(join(table, path + from), join(table, path + to))
}

async function compareDataFolders(_: RegExpExecArray, { table }: PythonPlace, { result }: RecordedStatement) {
  const ours = filesOf(table)
    .filter((name) => !name.startsWith('_delta_log') && !name.endsWith('.crc'))
    .map((name) => name.replace(/\/?(part-[^/]*|[0-9a-f]{32})[^/]*\.parquet$/, ''))
  return compareLists(ours, result)
}

async function compareManifests(_: RegExpExecArray, { table }: PythonPlace, { result }: RecordedStatement) {
  const folder = '_symlink_format_manifest'
  const ours = filesOf(table).filter((name) => name.startsWith(folder) && !name.endsWith('.crc'))
  rmSync(join(table, folder), { recursive: true, force: true })
  return compareLists(ours, result)
}

async function compareStrays(_: RegExpExecArray, { table }: PythonPlace, { result }: RecordedStatement) {
  return compareLists(
    readdirSync(table).filter((name) => name.startsWith('stray')),
    result,
  )
}

function compareLists(ours: readonly string[], recorded: unknown): string[] {
  const [a, b] = [[...ours].sort().join(', '), [...(recorded as readonly string[])].sort().join(', ')]
  return a === b ? [] : [`the folder holds ${a} instead of ${b}`]
}

async function compareLastVacuum(_: RegExpExecArray, { table }: PythonPlace, { result }: RecordedStatement) {
  const file = join(table, '_delta_log', '_last_vacuum_info')
  const ours = [existsSync(join(table, 'stray.parquet')), existsSync(file) ? readFileSync(file, 'utf8') : null]
  const [a, b] = [JSON.stringify(ours), JSON.stringify(result)]
  return a === b ? [] : [`${a} instead of ${b}`]
}

async function strayFilesAndDryRun(_: RegExpExecArray, place: PythonPlace, { result }: RecordedStatement) {
  const { table, run } = place
  makeFile(join(table, 'stray.parquet'), 'x')
  makeFile(join(table, '_hidden/keep.txt'), 'x')
  mkdirSync(join(table, 'emptydir'), { recursive: true })
  makeFile(join(table, 'p=0/.dotfile'), 'x')
  age(table, 1)
  const { rows } = await readResult(await run('VACUUM $T RETAIN 0 HOURS DRY RUN'))
  return rows.length === result ? [] : [`${rows.length} files to delete instead of ${String(result)}`]
}

async function strayFiles(_: RegExpExecArray, { table }: PythonPlace, { py }: RecordedStatement) {
  for (const [, path] of (py ?? '').matchAll(/open\(P \+ "([^"]+)", "wb"\)/g)) makeFile(join(table, path!), 'x')
  age(table, Number(/age\((\d+)\)/.exec(py ?? '')?.[1] ?? 0))
}

async function wideTable(_: RegExpExecArray, { run }: PythonPlace) {
  const numbers = Array.from({ length: 40 }, (__, i) => i)
  const columns = numbers.map((i) => `c${String(i).padStart(2, '0')} INT`).join(', ')
  const insert = (struct: string) => `INSERT INTO $T SELECT named_struct(${struct}), ${numbers.join(', ')}`
  const indexed = (count: number) =>
    `ALTER TABLE $T SET TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '${count}')`
  const statements = [
    `CREATE TABLE $T (st STRUCT<a: INT, b: STRING>, ${columns}) USING delta`,
    insert("'a', 1, 'b', 'x'"),
    indexed(3),
    insert("'a', 2, 'b', 'y'"),
    indexed(-1),
    insert("'a', 3, 'b', 'z'"),
    indexed(0),
    insert("'a', 4, 'b', null"),
  ]
  for (const statement of statements) await drain(await run(statement))
}

async function transactions(_: RegExpExecArray, place: PythonPlace, { py }: RecordedStatement) {
  for (const line of (py ?? '').split('\n')) {
    const call = /^w\((\d+), "(\w+)", (\d+)(?:, "(\w+)")?\)$/.exec(line.trim())
    if (line.trim() === 'checkpoint()') await drain(await place.run('CHECKPOINT TABLE $T'))
    if (call === null) continue
    const [, id, app, version, mode = 'append'] = call
    await writeFrame(
      place,
      `SELECT ${id} AS id`,
      `mode("${mode}").option("txnAppId", "${app}").option("txnVersion", "${version}")`,
    )
  }
}
