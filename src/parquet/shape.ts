/**
 * Which leaves of a file make up a column of a table, and how.
 *
 * A wanted column is a `StructField` by the name the file has; children of structs are found the same way at every
 * depth, by name or by field id. What the file lacks is null. Source: Parquet format, "Lists", "Maps" and their rules
 * for older files; Delta protocol, "Column Mapping".
 */
import { deltaError } from '../errors/index.ts'
import { type DataType, field, foldCase, formatType, type StructField, type StructType } from '../schema/index.ts'
import type { Convert } from './chunk.ts'
import { type ConvertContext, converterFor, describeLeaf, ignoreValue } from './convert.ts'
import { FIELD_ID_KEY } from './field-id.ts'
import { leavesOf, type SchemaNode } from './schema-tree.ts'
import { shreddedPair, UnknownShredding } from './shredded-variant.ts'
import { isElement } from './two-level-list.ts'

/** How to make the values of one node; `lead` is a leaf whose levels tell whether the node is there. */
export type Shape =
  | { readonly kind: 'absent' }
  | { readonly kind: 'leaf'; readonly lead: SchemaNode }
  | {
      readonly kind: 'struct'
      readonly definition: number
      readonly lead: SchemaNode
      readonly fields: readonly Shape[]
    }
  | { readonly kind: 'list'; readonly levels: ListLevels; readonly lead: SchemaNode; readonly element: Shape }
  | {
      readonly kind: 'map'
      readonly levels: ListLevels
      readonly lead: SchemaNode
      readonly key: Shape
      readonly value: Shape
    }
  | {
      readonly kind: 'variant'
      readonly lead: SchemaNode
      /** its metadata, its value, its typed value */
      readonly parts: Shape
      /** of value and typed value, where there is one */
      readonly pair: DataType | undefined
    }

export interface ListLevels {
  /** definition level from which the list is not null */
  readonly present: number
  /** definition level from which it has an entry */
  readonly entry: number
  /** repetition level of its second and later entries */
  readonly repeat: number
}

/** A leaf that is read, and what its values become. */
export interface LeafUse {
  readonly leaf: SchemaNode
  readonly convert: Convert
}

export interface ShapeContext extends ConvertContext {
  readonly matchBy: 'name' | 'id'
}

/** A column, and the leaves it is made of: each leaf once. */
export interface ColumnShape {
  readonly shape: Shape
  readonly uses: readonly LeafUse[]
}

/**
 * The shape of a top-level column of a file.
 *
 * @throws DeltaError `FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH`, `LAKE_PARQUET_UNSUPPORTED`
 */
export function shapeColumn(root: SchemaNode, column: StructField, context: ShapeContext): ColumnShape {
  const shaper = new Shaper(context)
  const shape = shaper.column(root, column)
  return { shape, uses: [...shaper.uses.values()] }
}

class Shaper {
  /** by leaf index */
  readonly uses = new Map<number, LeafUse>()
  private readonly context: ShapeContext

  constructor(context: ShapeContext) {
    this.context = context
  }

  column(parent: SchemaNode, wanted: StructField): Shape {
    const node = this.findChild(parent, wanted)
    if (node === undefined || wanted.type.kind === 'void' || isAllNull(node)) return { kind: 'absent' }
    // a repeated node without a LIST around it is a list of required elements
    if (node.repetition !== 'REPEATED') return this.node(node, wanted.type)
    if (wanted.type.kind !== 'array') throw this.mismatch(node, wanted.type)
    return this.list(node, node, wanted.type.element, node.definition - 1)
  }

  private findChild({ children }: SchemaNode, wanted: StructField): SchemaNode | undefined {
    const id = wanted.metadata[FIELD_ID_KEY]
    if (this.context.matchBy === 'id' && id !== undefined) return children.find((child) => child.fieldId === Number(id))
    const exact = children.find((child) => child.name === wanted.name)
    if (exact !== undefined) return exact
    const folded = foldCase(wanted.name)
    const [match, ...others] = children.filter((child) => foldCase(child.name) === folded)
    if (others.length === 0) return match
    throw deltaError('FAILED_READ_FILE.NO_HINT', {
      file: this.context.file,
      cause: `it has several columns that are ${wanted.name} but for case`,
      readable: 'its other columns are not affected',
    })
  }

  private node(node: SchemaNode, type: DataType): Shape {
    switch (type.kind) {
      case 'struct':
        return this.struct(node, type.fields)
      case 'array':
        return this.array(node, type.element, type)
      case 'map':
        return this.map(node, type)
      case 'variant':
        return this.variant(node, type)
      default:
        if (node.physical === undefined) throw this.mismatch(node, type)
        return { kind: 'leaf', lead: this.use(node, converterFor(node, type, this.context)) }
    }
  }

  private struct(node: SchemaNode, fields: readonly StructField[]): Shape & { kind: 'struct' } {
    const isOther = node.annotation?.kind === 'list' || node.annotation?.kind === 'map'
    if (node.physical !== undefined || isOther) throw this.mismatch(node, { kind: 'struct', fields })
    const shapes = fields.map((member) => this.column(node, member))
    return { kind: 'struct', definition: node.definition, lead: this.leadOf(node, shapes), fields: shapes }
  }

  private array(node: SchemaNode, element: DataType, type: DataType): Shape {
    const [repeated] = node.children
    const isMap = node.annotation?.kind === 'map'
    if (isMap || repeated === undefined || node.children.length !== 1 || repeated.repetition !== 'REPEATED') {
      throw this.mismatch(node, type)
    }
    const item = isElement(node, repeated) ? repeated : repeated.children[0]!
    return this.list(repeated, item, element, node.definition)
  }

  private list(repeated: SchemaNode, item: SchemaNode, element: DataType, present: number): Shape {
    const shape = this.node(item, element)
    return { kind: 'list', levels: levelsOf(repeated, present), lead: this.leadOf(repeated, [shape]), element: shape }
  }

  private map(node: SchemaNode, type: DataType & { kind: 'map' }): Shape {
    const [repeated] = node.children
    const [key, value] = repeated?.children ?? []
    const isList = node.annotation?.kind === 'list'
    if (isList || repeated?.repetition !== 'REPEATED' || key === undefined) throw this.mismatch(node, type)
    const keyShape = this.node(key, type.key)
    const valueShape: Shape = value === undefined ? { kind: 'absent' } : this.node(value, type.value)
    const lead = this.leadOf(repeated, [keyShape, valueShape])
    return { kind: 'map', levels: levelsOf(repeated, node.definition), lead, key: keyShape, value: valueShape }
  }

  private variant(node: SchemaNode, type: DataType): Shape {
    const has = (name: string) => node.children.some((child) => child.name === name)
    if (!has('metadata') || !(has('value') || has('typed_value'))) throw this.mismatch(node, type)
    const pair = this.pairOf(node)
    const fields = [field('metadata', { kind: 'binary' }), ...pair.fields]
    // the parts of a variant have fixed names, however the table finds its columns
    const byName = new Shaper({ ...this.context, matchBy: 'name' })
    const parts = byName.struct(node, fields)
    for (const [index, use] of byName.uses) this.uses.set(index, use)
    return { kind: 'variant', lead: parts.lead, parts, pair: has('typed_value') ? pair : undefined }
  }

  private pairOf(node: SchemaNode): StructType {
    try {
      return shreddedPair(node)
    } catch (error) {
      if (!(error instanceof UnknownShredding)) throw error
      const feature = `the variant ${node.path.join('.')} shredded into ${error.message}`
      throw deltaError('LAKE_PARQUET_UNSUPPORTED', { file: this.context.file, feature })
    }
  }

  /** A leaf below the node: one that is read anyway, else the first, for its levels alone. */
  private leadOf(node: SchemaNode, shapes: readonly Shape[]): SchemaNode {
    for (const shape of shapes) if (shape.kind !== 'absent') return shape.lead
    const [leaf] = leavesOf(node)
    if (leaf === undefined) throw this.mismatch(node, { kind: 'struct', fields: [] })
    return this.use(leaf, ignoreValue)
  }

  private use(leaf: SchemaNode, convert: Convert): SchemaNode {
    if (convert !== ignoreValue || !this.uses.has(leaf.firstLeaf)) this.uses.set(leaf.firstLeaf, { leaf, convert })
    return leaf
  }

  private mismatch(node: SchemaNode, type: DataType): Error {
    return deltaError('FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH', {
      file: this.context.file,
      column: node.path.join('.'),
      expected: formatType(type),
      actual: describeLeaf(node),
    })
  }
}

/** Whether a leaf is of the type that has no value but null, as some writers store a column without one. */
function isAllNull({ annotation, repetition }: SchemaNode): boolean {
  return annotation?.kind === 'null' && repetition === 'OPTIONAL'
}

function levelsOf(repeated: SchemaNode, present: number): ListLevels {
  return { present, entry: repeated.definition, repeat: repeated.repeats }
}
