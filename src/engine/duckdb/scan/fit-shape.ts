/**
 * Columns of a table read from a file of another shape: members found by field id or by name, absent ones null, the
 * result rebuilt under the table's own names and order.
 */
import { deltaError } from '../../../errors/index.ts'
import { physicalName, type TableLayout } from '../../../kernel/index.ts'
import {
  type DataType,
  foldCase,
  formatType,
  type MapType,
  type StructField,
  type StructType,
} from '../../../schema/index.ts'
import { quoteIdent, quoteLiteral } from '../sql-text.ts'
import { sqlType, storedFields, VARIANT_SQL } from '../values/sql-type.ts'
import { describeNode, elementOf, entryOf, type ShapeNode } from './file-shape.ts'
import { fitLeaf, type LeafFit } from './leaf-fit.ts'

/** How one column is read. */
export interface FittedColumn extends LeafFit {
  /** the column's name in the file */
  readonly fileName: string
}

/** DuckDB's name for the type that has no value but null. */
const ALL_NULL = '"NULL"'

/** What a column is read from, and what for. */
export interface FitContext {
  readonly layout: TableLayout
  /** as errors name it */
  readonly file: string
  /**
   * whether DuckDB gives the variants of the column as VARIANT; those it wrote unshredded come as the struct they are
   * stored in
   */
  readonly decodesVariants: boolean
}

/**
 * The child that holds a field, undefined where no value can be: by id where the table maps by id, else by name as SQL compares names.
 *
 * @throws DeltaError `FAILED_READ_FILE.NO_HINT` where case alone tells it from another: DuckDB would take the first
 */
export function findChild(
  field: StructField,
  children: readonly ShapeNode[],
  { layout, file }: Pick<FitContext, 'layout' | 'file'>,
): ShapeNode | undefined {
  const child = childOf(field, children, layout)
  // a leaf of nulls alone, as some writers store a column without a value
  if (child === undefined || child.leafType === ALL_NULL) return undefined
  const folded = foldCase(child.name)
  const twins = children.filter(({ name }) => foldCase(name) === folded)
  if (twins.length === 1) return child
  throw deltaError('FAILED_READ_FILE.NO_HINT', {
    file,
    cause: `it has several columns of one name, but for case: ${twins.map(({ name }) => name).join(', ')}`,
    readable: 'files beside it can be read',
  })
}

function childOf(field: StructField, children: readonly ShapeNode[], layout: TableLayout): ShapeNode | undefined {
  // a column the table does not map, such as the kind of a change, has its name alone
  const id = field.metadata['delta.columnMapping.id']
  if (layout.columnMapping === 'id' && id !== undefined) {
    return children.find((child) => child.fieldId === id)
  }
  const name = physicalName(field, layout)
  return (
    children.find((child) => child.name === name) ?? children.find((child) => foldCase(child.name) === foldCase(name))
  )
}

/** @throws DeltaError `FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH`, `FAILED_READ_FILE.NO_HINT` */
export function fitColumn(field: StructField, shape: ShapeNode, context: FitContext): FittedColumn {
  return { fileName: shape.name, ...new Fitter(context).fit(field.type, shape) }
}

class Fitter {
  private readonly context: FitContext
  private variables = 0

  constructor(context: FitContext) {
    this.context = context
  }

  fit(type: DataType, shape: ShapeNode): LeafFit {
    switch (type.kind) {
      case 'struct':
        return this.fitStruct(type, shape)
      case 'array': {
        const element = elementOf(shape)
        if (element === undefined) return this.refuse(type, shape)
        const fit = this.fit(type.element, element)
        const x = `x${this.variables++}`
        return {
          fileType: `${fit.fileType}[]`,
          rebuild: (source) => `list_transform(${source}, lambda ${x}: ${fit.rebuild(x)})`,
          plain: fit.plain,
        }
      }
      case 'map':
        return this.fitMap(type, shape)
      case 'variant':
        if (!this.context.decodesVariants) return { fileType: VARIANT_SQL, rebuild: (source) => source, plain: true }
        return { fileType: 'VARIANT', rebuild: (source) => `variant_to_parquet_variant(${source})`, plain: false }
      default:
        return this.fitLeaf(type, shape)
    }
  }

  private fitLeaf(type: DataType, shape: ShapeNode): LeafFit {
    const isLeaf = shape.leafType !== undefined && shape.children.length === 0 && !shape.repeated
    const fit = isLeaf ? fitLeaf(type, shape.leafType, sqlType(type, this.context.layout)) : undefined
    return fit ?? this.refuse(type, shape)
  }

  private fitMap(type: MapType, shape: ShapeNode): LeafFit {
    const entry = entryOf(shape)
    if (entry === undefined) return this.refuse(type, shape)
    const key = this.fit(type.key, entry.key)
    const value = this.fit(type.value, entry.value)
    const x = `x${this.variables++}`
    return {
      fileType: `MAP(${key.fileType}, ${value.fileType})`,
      rebuild: (source) =>
        `map_from_entries(list_transform(map_entries(${source}), lambda ${x}: ` +
        `struct_pack("key" := ${key.rebuild(`${x}."key"`)}, "value" := ${value.rebuild(`${x}."value"`)})))`,
      plain: key.plain && value.plain,
    }
  }

  private fitStruct(type: StructType, shape: ShapeNode): LeafFit {
    if (shape.children.length === 0 || shape.repeated) return this.refuse(type, shape)
    const { layout } = this.context
    const members = storedFields(type).map((field) => {
      const child = findChild(field, shape.children, this.context)
      return { field, child, fit: child === undefined ? undefined : this.fit(field.type, child) }
    })
    const asked = members.flatMap(({ child, fit }) =>
      child === undefined || fit === undefined ? [] : [`${quoteIdent(child.name)} ${fit.fileType}`],
    )
    return {
      fileType: `STRUCT(${(asked.length > 0 ? asked : [this.anyMember(type, shape)]).join(', ')})`,
      rebuild: (source) => {
        const packed = members.map(({ field, child, fit }) => {
          const name = quoteIdent(physicalName(field, layout))
          if (child === undefined || fit === undefined) return `${name} := NULL::${sqlType(field.type, layout)}`
          return `${name} := ${fit.rebuild(`struct_extract(${source}, ${quoteLiteral(child.name)})`)}`
        })
        // without the CASE a null struct becomes a struct of nulls
        return `CASE WHEN ${source} IS NOT NULL THEN struct_pack(${packed.join(', ')}) END`
      },
      plain: members.every(({ fit }) => fit?.plain !== false),
    }
  }

  /** A struct cannot be read without a member of it, not even to see whether it is null. */
  private anyMember(type: DataType, shape: ShapeNode): string {
    const leaf = shape.children.find((child) => child.leafType !== undefined && child.children.length === 0)
    if (leaf === undefined) return this.refuse(type, shape)
    return `${quoteIdent(leaf.name)} ${leaf.leafType!}`
  }

  private refuse(type: DataType, shape: ShapeNode): never {
    throw deltaError('FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH', {
      file: this.context.file,
      column: shape.name,
      expected: formatType(type),
      actual: describeNode(shape),
    })
  }
}
