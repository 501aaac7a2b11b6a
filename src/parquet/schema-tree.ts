/**
 * The schema of a Parquet file as a tree, with the levels at which each node is defined and repeated.
 *
 * Source: Parquet format, "Logical Type Definitions", "Nested Encoding".
 */

export type PhysicalType =
  | 'BOOLEAN'
  | 'INT32'
  | 'INT64'
  | 'INT96'
  | 'FLOAT'
  | 'DOUBLE'
  | 'BYTE_ARRAY'
  | 'FIXED_LEN_BYTE_ARRAY'

export const PHYSICAL_TYPES: readonly PhysicalType[] = [
  'BOOLEAN',
  'INT32',
  'INT64',
  'INT96',
  'FLOAT',
  'DOUBLE',
  'BYTE_ARRAY',
  'FIXED_LEN_BYTE_ARRAY',
]

export type Repetition = 'REQUIRED' | 'OPTIONAL' | 'REPEATED'

/** What a node means beyond its bytes: the logical type, or the converted type of older files. */
export type Annotation =
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'timestamp'; readonly unit: TimeUnit; readonly utc: boolean }
  | { readonly kind: 'integer'; readonly bits: number; readonly signed: boolean }
  | { readonly kind: SimpleAnnotation }

export type SimpleAnnotation =
  | 'string'
  | 'map'
  | 'list'
  | 'enum'
  | 'date'
  | 'time'
  | 'interval'
  | 'null'
  | 'json'
  | 'bson'
  | 'uuid'
  | 'float16'
  | 'variant'
  | 'geometry'
  | 'geography'
  | 'unknown'

export type TimeUnit = 'millis' | 'micros' | 'nanos'

export interface SchemaNode {
  readonly name: string
  readonly path: readonly string[]
  readonly repetition: Repetition
  readonly fieldId: number | undefined
  /** present on leaves */
  readonly physical: PhysicalType | undefined
  /** bytes of a FIXED_LEN_BYTE_ARRAY value */
  readonly typeLength: number
  readonly annotation: Annotation | undefined
  readonly children: readonly SchemaNode[]
  /** the definition level of a value that is there */
  readonly definition: number
  /** how many lists the node lies in, its own repetition included */
  readonly repeats: number
  /** index of the first leaf at or below the node, in file order */
  readonly firstLeaf: number
}

/** The nodes without children below a node, in file order. */
export function leavesOf(node: SchemaNode): SchemaNode[] {
  return node.physical === undefined ? node.children.flatMap(leavesOf) : [node]
}

/** What the footer tells of one node, before it has a place in the tree. */
export interface SchemaElement {
  readonly name: string
  readonly repetition: Repetition
  readonly fieldId: number | undefined
  readonly physical: PhysicalType | undefined
  readonly typeLength: number
  readonly annotation: Annotation | undefined
  readonly numChildren: number
}

/** Levels and nesting are held in bytes and on the stack; no real schema comes near. */
const MAX_DEPTH = 100

/**
 * Builds the tree from the footer's list, which is in preorder.
 *
 * @throws RangeError when the list is no tree
 */
export function buildSchemaTree(elements: readonly SchemaElement[]): SchemaNode {
  const builder = new TreeBuilder(elements)
  const root = builder.build(undefined, 0)
  if (builder.next !== elements.length) throw new RangeError('its schema has elements outside the tree')
  return root
}

class TreeBuilder {
  next = 0
  private leaves = 0
  private readonly elements: readonly SchemaElement[]

  constructor(elements: readonly SchemaElement[]) {
    this.elements = elements
  }

  build(parent: SchemaNode | undefined, depth: number): SchemaNode {
    const element = this.elements[this.next++]
    if (element === undefined) throw new RangeError('its schema ends inside a group')
    if (depth > MAX_DEPTH) throw new RangeError(`its schema is nested deeper than ${MAX_DEPTH}`)
    const { numChildren, ...rest } = element
    const repetition = parent === undefined ? 'REQUIRED' : element.repetition
    const children: SchemaNode[] = []
    const node: SchemaNode = {
      ...rest,
      repetition,
      path: parent === undefined ? [] : [...parent.path, element.name],
      children,
      definition: (parent?.definition ?? 0) + (repetition === 'REQUIRED' ? 0 : 1),
      repeats: (parent?.repeats ?? 0) + (repetition === 'REPEATED' ? 1 : 0),
      firstLeaf: this.leaves,
    }
    if (element.physical !== undefined) this.leaves++
    for (let i = 0; i < numChildren; i++) children.push(this.build(node, depth + 1))
    return node
  }
}
