/**
 * Columns of a table read from a file of another shape: members found by field id or by name, absent ones null, the
 * result rebuilt under the table's own names and order.
 */
import { deltaError } from '../../../errors/index.ts'
import { physicalName, type TableLayout } from '../../../kernel/index.ts'
import { type DataType, foldCase, type StructField, type StructType } from '../../../schema/index.ts'
import { quoteIdent, quoteLiteral } from '../sql-text.ts'
import { sqlType, storedFields, VARIANT_SQL } from '../values/sql-type.ts'
import { elementOf, entryOf, type ShapeNode } from './file-shape.ts'

/** How one column is read: the type to ask of the file, and the table's value made from that. */
export interface FittedColumn {
  /** the column's name in the file */
  readonly fileName: string
  readonly fileType: string
  /** @param source SQL of the column as read */
  rebuild(source: string): string
}

interface Fit {
  readonly fileType: string
  rebuild(source: string): string
}

/** The child that holds a field: by id where the table maps by id, else by name as SQL compares names. */
export function findChild(
  field: StructField,
  children: readonly ShapeNode[],
  layout: TableLayout,
): ShapeNode | undefined {
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

/**
 * @param decodesVariants whether DuckDB gives the variants of the column as VARIANT; those it wrote unshredded come as the
 * struct they are stored in
 */
export function fitColumn(
  field: StructField,
  shape: ShapeNode,
  layout: TableLayout,
  decodesVariants: boolean,
): FittedColumn {
  return { fileName: shape.name, ...new Fitter(layout, decodesVariants).fit(field.type, shape) }
}

class Fitter {
  private readonly layout: TableLayout
  private readonly decodesVariants: boolean
  private variables = 0

  constructor(layout: TableLayout, decodesVariants: boolean) {
    this.layout = layout
    this.decodesVariants = decodesVariants
  }

  fit(type: DataType, shape: ShapeNode): Fit {
    switch (type.kind) {
      case 'struct':
        return this.fitStruct(type, shape)
      case 'array': {
        const element = elementOf(shape)
        if (element === undefined) return this.refuse(shape)
        const fit = this.fit(type.element, element)
        const x = `x${this.variables++}`
        return {
          fileType: `${fit.fileType}[]`,
          rebuild: (source) => `list_transform(${source}, lambda ${x}: ${fit.rebuild(x)})`,
        }
      }
      case 'map':
        return this.fitMap(type.key, type.value, shape)
      case 'variant':
        if (!this.decodesVariants) return { fileType: VARIANT_SQL, rebuild: (source) => source }
        return { fileType: 'VARIANT', rebuild: (source) => `variant_to_parquet_variant(${source})` }
      default:
        return { fileType: sqlType(type, this.layout), rebuild: (source) => source }
    }
  }

  private fitMap(keyType: DataType, valueType: DataType, shape: ShapeNode): Fit {
    const entry = entryOf(shape)
    if (entry === undefined) return this.refuse(shape)
    const key = this.fit(keyType, entry.key)
    const value = this.fit(valueType, entry.value)
    const x = `x${this.variables++}`
    return {
      fileType: `MAP(${key.fileType}, ${value.fileType})`,
      rebuild: (source) =>
        `map_from_entries(list_transform(map_entries(${source}), lambda ${x}: ` +
        `struct_pack("key" := ${key.rebuild(`${x}."key"`)}, "value" := ${value.rebuild(`${x}."value"`)})))`,
    }
  }

  private fitStruct(type: StructType, shape: ShapeNode): Fit {
    const members = storedFields(type).map((field) => {
      const child = findChild(field, shape.children, this.layout)
      return { field, child, fit: child === undefined ? undefined : this.fit(field.type, child) }
    })
    const asked = members.flatMap(({ child, fit }) =>
      child === undefined || fit === undefined ? [] : [`${quoteIdent(child.name)} ${fit.fileType}`],
    )
    return {
      fileType: `STRUCT(${(asked.length > 0 ? asked : [this.anyMember(shape)]).join(', ')})`,
      rebuild: (source) => {
        const packed = members.map(({ field, child, fit }) => {
          const name = quoteIdent(physicalName(field, this.layout))
          if (child === undefined || fit === undefined) return `${name} := NULL::${sqlType(field.type, this.layout)}`
          return `${name} := ${fit.rebuild(`struct_extract(${source}, ${quoteLiteral(child.name)})`)}`
        })
        // without the CASE a null struct becomes a struct of nulls
        return `CASE WHEN ${source} IS NOT NULL THEN struct_pack(${packed.join(', ')}) END`
      },
    }
  }

  /** A struct cannot be read without a member of it, not even to see whether it is null. */
  private anyMember(shape: ShapeNode): string {
    const leaf = shape.children.find((child) => child.leafType !== undefined && child.children.length === 0)
    if (leaf === undefined) return this.refuse(shape)
    return `${quoteIdent(leaf.name)} ${leaf.leafType!}`
  }

  private refuse(shape: ShapeNode): never {
    throw deltaError('FAILED_READ_FILE.NO_HINT', {
      file: 'a data file',
      cause: `its column ${shape.name} has a shape that the table's type cannot be read from`,
      readable: 'columns beside it can be read',
    })
  }
}
