/** What the columns of data mean for the columns of a table: the same, more, or something else. */
import { deltaError } from '../../errors/index.ts'
import { isWidening } from '../../kernel/index.ts'
import {
  arrayType,
  type DataType,
  deltaTypeName,
  findField,
  formatType,
  mapType,
  type StructField,
  type StructType,
  sameType,
  structType,
} from '../../schema/index.ts'
import { rememberTypeChange, type TypeChange } from '../alter/change-type.ts'
import { columnPathText } from '../values/index.ts'

export interface MergedSchema {
  /** the table's columns in their order and spelling, new ones behind those of their struct, nullable */
  readonly schema: StructType
  /** paths of the columns that are new, the uppermost of each branch only */
  readonly added: readonly (readonly string[])[]
  /** the columns whose type grows to hold the data */
  readonly widened: readonly TypeChange[]
}

export interface MergeOptions {
  /** true: types grow as the protocol's type widening lists, and leave a trace of it (`delta.enableTypeWidening`) */
  readonly widens?: boolean
  /** true: data of another type is cast to the column's where that cannot grow, so the two need not agree */
  readonly casts?: boolean
  /** where the data comes from, for messages: `the data` when absent */
  readonly place?: string
}

/**
 * Puts the columns of data into a table's schema, by name and regardless of case.
 *
 * A column of type VOID takes the data's type. Byte, short and integer give the wider of the two: files hold them alike.
 *
 * @throws DeltaError `DELTA_FAILED_TO_MERGE_FIELDS` where a column of both has two types
 */
export function mergeSchemas(table: StructType, data: StructType, options: MergeOptions = {}): MergedSchema {
  const merge = new SchemaMerge(options)
  return { schema: merge.struct(table, data, []), added: merge.added, widened: merge.widened }
}

/** A place inside of a field: `element`, `key`, `value` below it, no further field between. */
interface Inside {
  readonly path: readonly string[]
  readonly inner: readonly string[]
  readonly changes: { readonly change: TypeChange; readonly inner: readonly string[] }[]
}

class SchemaMerge {
  readonly added: (readonly string[])[] = []
  readonly widened: TypeChange[] = []
  private readonly options: MergeOptions

  constructor(options: MergeOptions) {
    this.options = options
  }

  struct(table: StructType, data: StructType, path: readonly string[]): StructType {
    const merged = new Map<StructField, StructField>()
    const extra: StructField[] = []
    for (const given of data.fields) {
      const known = findField(table, given.name)
      const at = [...path, known?.name ?? given.name]
      if (known === undefined) {
        this.added.push(at)
        extra.push({ ...given, nullable: true })
      } else merged.set(known, this.field(known, given, at))
    }
    return structType([...table.fields.map((f) => merged.get(f) ?? f), ...extra])
  }

  private field(known: StructField, given: StructField, path: readonly string[]): StructField {
    const inside: Inside = { path, inner: [], changes: [] }
    const type = this.type(known.type, given.type, inside)
    let field = { ...known, type }
    for (const { change, inner } of inside.changes)
      field = { ...field, metadata: rememberTypeChange(field, change, inner) }
    return field
  }

  private type(table: DataType, data: DataType, at: Inside): DataType {
    const { path, inner } = at
    const below = (part: string): Inside => ({ ...at, path: [...path, part], inner: [...inner, part] })
    if (table.kind === 'struct' && data.kind === 'struct') return this.struct(table, data, path)
    if (table.kind === 'array' && data.kind === 'array') {
      return arrayType(this.type(table.element, data.element, below('element')), table.containsNull)
    }
    if (table.kind === 'map' && data.kind === 'map') {
      const key = this.type(table.key, data.key, below('key'))
      return mapType(key, this.type(table.value, data.value, below('value')), table.valueContainsNull)
    }
    if (takes(table, data)) return table
    if (!this.mayGrow(table, data)) return this.cast(table, data, path)
    const change = { column: path, from: table, to: data }
    if (this.options.widens) at.changes.push({ change, inner })
    this.widened.push(change)
    return data
  }

  private mayGrow(table: DataType, data: DataType): boolean {
    const { widens, casts } = this.options
    if (!casts && (table.kind === 'void' || (SMALL.includes(table.kind) && SMALL.includes(data.kind)))) return true
    return widens === true && isWidening(deltaTypeName(table), deltaTypeName(data))
  }

  private cast(table: DataType, data: DataType, path: readonly string[]): DataType {
    const { casts, place = 'the data' } = this.options
    if (casts && !isNested(table) && !isNested(data)) return table
    throw deltaError('DELTA_FAILED_TO_MERGE_FIELDS', {
      place,
      column: columnPathText(path),
      type: formatType(table),
      found: formatType(data),
    })
  }
}

function isNested({ kind }: DataType): boolean {
  return kind === 'struct' || kind === 'array' || kind === 'map'
}

const SMALL: readonly string[] = ['byte', 'short', 'integer']

/** Whether data of one type goes into a column of another as it is: small whole numbers are stored alike. */
function takes(table: DataType, data: DataType): boolean {
  if (sameType(table, data) || data.kind === 'void') return true
  const rank = SMALL.indexOf(data.kind)
  return rank >= 0 && rank < SMALL.indexOf(table.kind)
}

/** @throws DeltaError `DELTA_METADATA_MISMATCH` naming every column the table lacks, else those it has too narrow */
export function refuseNewColumns({ added, widened }: MergedSchema, table: string): void {
  if (added.length > 0) {
    throw mismatch(added, `which ${table} does not have`, 'leave # out, or set mergeSchema to add #')
  }
  if (widened.length === 0) return
  const types = widened.map(({ from, to }) => `${formatType(to)} where ${table} has ${formatType(from)}`)
  const paths = widened.map(({ column }) => column)
  throw mismatch(paths, `which ${paths.length > 1 ? 'are' : 'is'} ${types.join(', ')}`, 'set mergeSchema to let # grow')
}

function mismatch(paths: readonly (readonly string[])[], fault: string, advice: string): Error {
  const columns = paths.map(columnPathText)
  const many = columns.length > 1
  return deltaError('DELTA_METADATA_MISMATCH', {
    problem: `the data has the column${many ? 's' : ''} ${columns.join(', ')}, ${fault}`,
    advice: advice.replaceAll('#', many ? 'them' : 'it'),
    columns,
  })
}

/** @throws DeltaError `DELTA_METADATA_MISMATCH` when a write names other partition columns than the table has */
export function refuseOtherPartitioning(
  given: readonly string[] | undefined,
  table: readonly string[],
  location: string,
): void {
  if (given === undefined || (given.length === table.length && given.every((name, i) => name === table[i]))) return
  const text = (names: readonly string[]) => (names.length === 0 ? 'nothing' : names.join(', '))
  throw deltaError('DELTA_METADATA_MISMATCH', {
    problem: `the write is partitioned by ${text(given)} and ${location} by ${text(table)}`,
    advice: 'leave partitionBy out, or overwrite the table with overwriteSchema',
  })
}
