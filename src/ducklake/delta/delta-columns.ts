/** The schema of a Delta table as columns of a lake, and the name mapping its files are read by. */
import { deltaError } from '../../errors/index.ts'
import { physicalName, type TableLayout } from '../../kernel/index.ts'
import type { DataType, StructField, StructType } from '../../schema/index.ts'
import { JsonNumber } from '../../support/index.ts'
import type { MappedNode } from '../scan/name-mapping.ts'
import type { LakeColumn } from '../snapshot/columns.ts'

/** What decides how files call columns. */
export type DeltaNaming = Pick<TableLayout, 'columnMapping'>

const LEAVES: Readonly<Record<string, string>> = {
  byte: 'int8',
  short: 'int16',
  integer: 'int32',
  long: 'int64',
  float: 'float32',
  double: 'float64',
  string: 'varchar',
  binary: 'blob',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'timestamptz',
  timestamp_ntz: 'timestamp',
  variant: 'variant',
}

/** Ids of elements, keys and values, which a column mapping does not number; far above those it gives. */
const FIRST_OWN_ID = 1_000_000

/** Gives ids to columns: those of a column mapping, those they had before, new ones. */
export class DeltaColumns {
  private readonly naming: DeltaNaming
  private readonly before: readonly LakeColumn[]
  private next: number

  /** @param before the columns the table has in the lake so far @param used ids that are taken for life */
  constructor(naming: DeltaNaming, before: readonly LakeColumn[], used: number) {
    this.naming = naming
    this.before = before
    // a column mapping goes on counting its own ids
    this.next = Math.max(used + 1, naming.columnMapping === 'none' ? 1 : FIRST_OWN_ID)
  }

  /** @throws DeltaError `DUCKLAKE_SOURCE_UNSUPPORTED` for a type no lake holds */
  columns(schema: StructType): LakeColumn[] {
    return schema.fields.map((field) => this.column(field, this.before))
  }

  private column(field: StructField, before: readonly LakeColumn[]): LakeColumn {
    const mapped = this.naming.columnMapping === 'none' ? undefined : fieldId(field)
    const known =
      mapped === undefined ? before.find(({ name }) => name === field.name) : before.find(({ id }) => id === mapped)
    return this.typed({ name: field.name, type: field.type, nullable: field.nullable, id: mapped, known })
  }

  private part(name: string, type: DataType, known: LakeColumn | undefined): LakeColumn {
    return this.typed({
      name,
      type,
      nullable: true,
      id: undefined,
      known: known?.children.find((child) => child.name === name),
    })
  }

  private typed({ name, type, nullable, id, known }: Part): LakeColumn {
    const own = id ?? known?.id ?? this.next++
    const base = {
      id: own,
      name,
      nullable,
      initialDefault: undefined,
      defaultValue: undefined,
      defaultType: undefined,
      comment: undefined,
    }
    switch (type.kind) {
      case 'struct':
        return {
          ...base,
          type: 'struct',
          children: type.fields.map((field) => this.column(field, known?.children ?? [])),
        }
      case 'array':
        return { ...base, type: 'list', children: [this.part('element', type.element, known)] }
      case 'map':
        return {
          ...base,
          type: 'map',
          children: [this.part('key', type.key, known), this.part('value', type.value, known)],
        }
      case 'decimal':
        return { ...base, type: `decimal(${type.precision},${type.scale})`, children: [] }
      default: {
        const leaf = LEAVES[type.kind]
        if (leaf !== undefined) return { ...base, type: leaf, children: [] }
        const reason = `its column ${name} has the type ${type.kind}, which no lake holds`
        throw deltaError('DUCKLAKE_SOURCE_UNSUPPORTED', {
          source: 'the Delta table',
          reason,
          advice: 'drop the column, or give it a type',
        })
      }
    }
  }
}

interface Part {
  readonly name: string
  readonly type: DataType
  readonly nullable: boolean
  readonly id: number | undefined
  readonly known: LakeColumn | undefined
}

function fieldId(field: StructField): number | undefined {
  const id = field.metadata['delta.columnMapping.id']
  const number = id instanceof JsonNumber ? Number(id.text) : Number(id)
  return Number.isSafeInteger(number) ? number : undefined
}

/** How files of the table call the columns; partition columns stand in the folders of their paths. */
export function deltaMapping(
  schema: StructType,
  columns: readonly LakeColumn[],
  naming: DeltaNaming,
  partitions: readonly string[],
): MappedNode[] {
  return schema.fields.map((field, i) => {
    const column = columns[i]!
    const name = physicalName(field, naming)
    return {
      name,
      target: column.id,
      isPartition: partitions.includes(field.name),
      children: children(field.type, column, naming),
    }
  })
}

function children(type: DataType, column: LakeColumn, naming: DeltaNaming): MappedNode[] {
  const part = (name: string, inner: DataType, child: LakeColumn): MappedNode => {
    return { name, target: child.id, isPartition: false, children: children(inner, child, naming) }
  }
  if (type.kind === 'array') return [part('element', type.element, column.children[0]!)]
  if (type.kind === 'map')
    return [part('key', type.key, column.children[0]!), part('value', type.value, column.children[1]!)]
  if (type.kind !== 'struct') return []
  return type.fields.map((field, i) => part(physicalName(field, naming), field.type, column.children[i]!))
}
