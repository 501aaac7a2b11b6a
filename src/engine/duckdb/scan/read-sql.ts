/**
 * The SQL that reads columns of a table from a group of its files.
 *
 * Columns are called `c<ordinal>` from the inside out, so that no name of a table can hide DuckDB's `file_index` and
 * `file_row_number`. `schema=` names every column and its exact type: columns that old files lack are null, narrower
 * ones are widened, INT96 and INT64 timestamps are one type. Partition columns are constants of a file, taken from the
 * log by `file_index`.
 */
import { deltaError } from '../../../errors/index.ts'
import {
  fileConstant,
  hiddenSource,
  parsePartitionValue,
  physicalName,
  type TableLayout,
} from '../../../kernel/index.ts'
import { type DataType, field, type StructField } from '../../../schema/index.ts'
import type { DuckSession, QueryOptions } from '../instance.ts'
import { pathList, quoteLiteral } from '../sql-text.ts'
import { literal } from '../values/literal.ts'
import { sqlType } from '../values/sql-type.ts'
import { DeletionFilter, MAX_WORDS } from './deletion-words.ts'
import { readShapes, type ShapeNode } from './file-shape.ts'
import { findChild, fitColumn } from './fit-shape.ts'
import { refuseLegacyCalendar } from './legacy-calendar.ts'
import type { LocalFile } from './local-files.ts'
import { needsFit } from './needs-fit.ts'
import { padded } from './pad-char.ts'

export interface ReadRequest {
  readonly layout: TableLayout
  readonly files: readonly LocalFile[]
  /** ordinals of the layout's schema; each once */
  readonly ordinals: readonly number[]
  /** true: each file's footer is looked at first */
  readonly byShape: boolean
  /** tells the variables of several reads in one session apart */
  readonly name?: string
}

/** Whether footers must be looked at whatever the files hold. */
export function needsShapes(layout: TableLayout, ordinals: readonly number[]): boolean {
  return layout.columnMapping === 'id' || ordinals.some((i) => holdsVariant(layout.schema.fields[i]!.type))
}

function holdsVariant(type: DataType): boolean {
  if (type.kind === 'array') return holdsVariant(type.element)
  if (type.kind === 'map') return holdsVariant(type.key) || holdsVariant(type.value)
  if (type.kind === 'struct') return type.fields.some((f) => holdsVariant(f.type))
  return type.kind === 'variant'
}

/**
 * A query with the columns `c<ordinal>`, in file order and row order; variables it needs are set in the session.
 *
 * Variables hold until the next call on the session: one query at a time.
 */
export async function readSql(session: DuckSession, request: ReadRequest, options: QueryOptions): Promise<string> {
  await refuseLegacyCalendar(session, request, options)
  const byShape = request.byShape || (await needsFit(session, request, options))
  const shaped = byShape ? await runsOfOneShape(session, request, options) : [{ files: request.files }]
  const runs: string[] = []
  for (const { files, shape } of shaped.flatMap(runsOfFewWords)) {
    runs.push(await readRun(session, { ...request, files }, { number: runs.length, shape }))
  }
  return runs.join('\nUNION ALL\n')
}

interface FileRun {
  readonly files: readonly LocalFile[]
  readonly shape?: Shape
}

/** Bits of deleted rows slow a query down by their number, so neighbours with many of them are read by several. */
function runsOfFewWords({ files, shape }: FileRun): { files: readonly LocalFile[]; shape: Shape | undefined }[] {
  const runs: { files: LocalFile[]; shape: Shape | undefined }[] = []
  let words = 0
  for (const file of files) {
    const more = file.deleted?.length ?? 0
    if (runs.length === 0 || (more > 0 && words + more > MAX_WORDS)) {
      runs.push({ files: [], shape })
      words = 0
    }
    runs.at(-1)!.files.push(file)
    words += more
  }
  return runs
}

interface Shape {
  readonly children: readonly ShapeNode[]
  /** DuckDB's type of each top-level column */
  readonly types: ReadonlyMap<string, string>
}

/** Neighbouring files of one shape are read by one query; order is kept. */
async function runsOfOneShape(
  session: DuckSession,
  { files, layout, ordinals }: ReadRequest,
  options: QueryOptions,
): Promise<{ files: LocalFile[]; shape: Shape }[]> {
  const shapes = await readShapes(
    session,
    files.map((file) => file.path),
    options,
  )
  const variants = ordinals.some((i) => holdsVariant(layout.schema.fields[i]!.type))
  const runs: { files: LocalFile[]; shape: Shape; key: string }[] = []
  for (const file of files) {
    const children = shapes.get(file.path)!
    if (layout.columnMapping === 'id') refuseWithoutIds(children, file)
    const types = variants ? await columnTypes(session, file.path, options) : new Map<string, string>()
    const key = JSON.stringify([...types])
    const last = runs.at(-1)
    if (last?.key === key && last.shape.children === children) last.files.push(file)
    else runs.push({ files: [file], shape: { children, types }, key })
  }
  return runs
}

/** Without ids every column would be read as null, silently. */
function refuseWithoutIds(shape: readonly ShapeNode[], file: LocalFile): void {
  if (shape.length === 0 || shape.some((column) => column.fieldId !== undefined)) return
  throw deltaError('FAILED_READ_FILE.NO_HINT', {
    file: file.add.path,
    cause: 'the table maps columns by id and the file carries no field ids',
    readable: 'files beside it can be read',
  })
}

async function columnTypes(session: DuckSession, path: string, options: QueryOptions): Promise<Map<string, string>> {
  const sql = `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(${pathList([path])}, hive_partitioning=false))`
  return new Map((await session.query(sql, options)).map(([name, type]) => [name as string, type as string]))
}

async function readRun(
  session: DuckSession,
  { layout, files, ordinals, name = '' }: ReadRequest,
  { number, shape }: { number: number; shape: Shape | undefined },
): Promise<string> {
  const partition = new Set(layout.partitionColumns)
  const entries: string[] = []
  const outputs: string[] = []
  for (const ordinal of ordinals) {
    const field = layout.schema.fields[ordinal]!
    const alias = `c${ordinal}`
    const read = layout.hidden?.has(ordinal)
      ? hiddenColumn(ordinal, layout, files, shape)
      : partition.has(field.name)
        ? { output: padded(partitionSql(field, layout, files), field, layout) }
        : fileColumn(field, alias, { layout, file: nameOf(files), shape })
    if (read.entry !== undefined) entries.push(read.entry)
    outputs.push(`${read.output} AS ${alias}`)
  }
  // a name no file has: the map is never empty, and the files' own columns cannot hide the virtual ones
  if (entries.length === 0) entries.push(schemaEntry('\u{1}none', 'none', 'INTEGER'))
  const deleted = new DeletionFilter(
    `deleted${name}${number}`,
    files.map((file) => file.deleted),
  )
  await deleted.define(session)
  return `SELECT ${outputs.length === 0 ? '1 AS one' : outputs.join(', ')}
    FROM read_parquet(${pathList(files.map((file) => file.path))}, hive_partitioning=false,
      schema=MAP{${entries.join(', ')}}) t
    ${deleted.condition === undefined ? '' : `WHERE ${deleted.condition}`}`
}

interface ColumnSql {
  /** for `schema=`, where the column comes from the file */
  readonly entry?: string
  readonly output: string
}

/** Files of one shape are wrong together; the first is named. */
function nameOf(files: readonly LocalFile[]): string {
  return files[0]?.add.path ?? 'a data file'
}

interface ColumnContext {
  readonly layout: TableLayout
  readonly file: string
  readonly shape: Shape | undefined
}

function fileColumn(field: StructField, alias: string, { layout, file, shape }: ColumnContext): ColumnSql {
  const type = sqlType(field.type, layout)
  if (field.type.kind === 'void') return { output: `NULL::${type}` }
  if (shape === undefined) {
    return {
      entry: schemaEntry(physicalName(field, layout), alias, type),
      output: padded(`t.${alias}`, field, layout),
    }
  }
  const child = findChild(field, shape.children, { layout, file })
  if (child === undefined) return { output: `NULL::${type}` }
  const decodesVariants = shape.types.get(child.name)?.includes('VARIANT') === true
  const fit = fitColumn(field, child, { layout, file, decodesVariants })
  return {
    entry: schemaEntry(fit.fileName, alias, fit.fileType),
    output: padded(`(${fit.rebuild(`t.${alias}`)})::${type}`, field, layout),
  }
}

function schemaEntry(fileName: string, alias: string, type: string): string {
  return `${quoteLiteral(fileName)}: {name: '${alias}', type: ${quoteLiteral(type)}, default_value: NULL}`
}

function partitionSql(field: StructField, layout: TableLayout, files: readonly LocalFile[]): string {
  const name = physicalName(field, layout)
  const values = files.map(({ add }) =>
    literal(parsePartitionValue(add.partitionValues.get(name), field.type, { column: field.name }), field.type),
  )
  return byFile(values, field.type)
}

/** A value of each file, as SQL: one constant where they are all the same. */
function byFile(values: readonly string[], type: DataType): string {
  const first = values[0] ?? literal(null, type)
  if (values.every((value) => value === first)) return first
  return `([${values.join(', ')}])[t.file_index::BIGINT + 1]`
}

/** The place of each file in its plan: counted on from the first where they are neighbours there. */
function filePlace(files: readonly LocalFile[], type: DataType): string {
  const first = files[0]!.index
  if (files.every(({ index }, i) => index === first + i)) return `(t.file_index::BIGINT + ${first})`
  return byFile(
    files.map(({ index }) => literal(BigInt(index), type)),
    type,
  )
}

function hiddenColumn(
  ordinal: number,
  layout: TableLayout,
  files: readonly LocalFile[],
  shape: Shape | undefined,
): ColumnSql {
  const { type } = layout.schema.fields[ordinal]!
  const { stored, base, addsRowIndex } = hiddenSource(ordinal, layout)
  if (base === 'file_index') return { output: filePlace(files, type) }
  const parts = addsRowIndex ? ['t.file_row_number::BIGINT'] : []
  if (base !== undefined) {
    parts.unshift(
      byFile(
        files.map((file) => literal(fileConstant(base, file), type)),
        type,
      ),
    )
  }
  const own = parts.join(' + ')
  const kept =
    stored === undefined
      ? undefined
      : fileColumn(field(stored, type), `c${ordinal}`, { layout, file: nameOf(files), shape })
  if (kept === undefined) return { output: own }
  return { ...kept, output: `coalesce(${kept.output}, ${own})` }
}
