/**
 * Negative zeros that COPY would lose.
 *
 * A dictionary of DuckDB's Parquet writer holds -0.0 and 0.0 as one value, whichever comes first. Columns with many
 * values have no dictionary, so few files need a second look, and fewer are written again without dictionaries.
 */
import { physicalName, type TableLayout } from '../../../kernel/index.ts'
import type { DataType, StructField } from '../../../schema/index.ts'
import type { DuckSession, QueryOptions } from '../instance.ts'
import { pathList, quoteIdent, quoteLiteral } from '../sql-text.ts'
import type { CopiedFile } from './copied-file.ts'

/** What a COPY needs so that every zero keeps its sign. */
export const WITHOUT_DICTIONARY = ', DICTIONARY_SIZE_LIMIT 0'

/** A float or double of a row, or a list or map that holds some. */
export interface FloatColumn {
  /** as the file calls it, from the top level down through structs */
  readonly path: readonly string[]
  /** SQL over the relation that was copied */
  readonly source: string
  /** a float or double itself */
  readonly isPlain: boolean
}

export function floatColumns(
  stored: readonly { readonly field: StructField; readonly ordinal: number }[],
  layout: TableLayout,
): readonly FloatColumn[] {
  return stored.flatMap(({ field, ordinal }) => floatsOf(field, { path: [], source: `d${ordinal}` }, layout))
}

function floatsOf(
  field: StructField,
  { path, source }: { path: readonly string[]; source: string },
  layout: TableLayout,
): FloatColumn[] {
  const own = [...path, physicalName(field, layout)]
  if (field.type.kind === 'float' || field.type.kind === 'double') return [{ path: own, source, isPlain: true }]
  if (field.type.kind !== 'struct') return holdsFloat(field.type) ? [{ path: own, source, isPlain: false }] : []
  return field.type.fields.flatMap((member) => {
    const extract = `struct_extract(${source}, ${quoteLiteral(physicalName(member, layout))})`
    return floatsOf(member, { path: own, source: extract }, layout)
  })
}

function holdsFloat(type: DataType): boolean {
  if (type.kind === 'array') return holdsFloat(type.element)
  if (type.kind === 'map') return holdsFloat(type.key) || holdsFloat(type.value)
  if (type.kind === 'struct') return type.fields.some((field) => holdsFloat(field.type))
  return type.kind === 'float' || type.kind === 'double'
}

/**
 * Whether the file that was copied from a relation may have lost the sign of a zero.
 *
 * @param relation a SELECT with the columns' `source`
 */
export async function mayLoseNegativeZero(
  session: DuckSession,
  {
    columns,
    copied,
    path,
    relation,
  }: { columns: readonly FloatColumn[]; copied: CopiedFile; path: string; relation: string },
  options: QueryOptions,
): Promise<boolean> {
  const doubtful = columns.filter((column) => !column.isPlain || mayHoldZero(column, copied))
  if (doubtful.length === 0) return false
  const sql = `SELECT DISTINCT path_in_schema FROM parquet_metadata(${pathList([path])})
    WHERE type IN ('FLOAT', 'DOUBLE') AND contains(encodings, 'DICTIONARY')`
  const leaves = (await session.query(sql, options)).map(([leaf]) => String(leaf))
  const isEncoded = (name: string) => leaves.some((leaf) => leaf === name || leaf.startsWith(`${name}, `))
  const suspects = doubtful.filter(({ path: names }) => isEncoded(names.join(', ')))
  if (suspects.length === 0) return false
  const tests = suspects.map(({ source, isPlain }) =>
    isPlain ? `bool_or(${source} = 0 AND signbit(${source}))` : `bool_or(contains(${source}::VARCHAR, '-0.0'))`,
  )
  const [row] = await session.query(`SELECT ${tests.join(', ')} FROM (${relation})`, options)
  return row?.some((found) => found === true) ?? false
}

function mayHoldZero({ path }: FloatColumn, copied: CopiedFile): boolean {
  const found = copied.columns.get(path.map(quoteIdent).join('.'))
  const min = Number(found?.get('min') ?? Number.NaN)
  const max = Number(found?.get('max') ?? Number.NaN)
  return !(min > 0 || max < 0)
}
