/**
 * How the columns of a Parquet file are called and nested, by its footer.
 *
 * Files of a table differ: they were written before a column came or was renamed, or by another program. Files of one
 * shape are read by one query.
 */
import { type DuckSession, pathList } from '../../engine/duckdb/index.ts'

/** A column of a file, or a part of one, as SQL sees it. */
export interface ShapeNode {
  readonly name: string
  readonly fieldId: number | undefined
  readonly kind: 'leaf' | 'struct' | 'list' | 'map'
  /** of a leaf, where DuckDB tells it */
  readonly sqlType: string | undefined
  /** a struct's members; the one of a list; key and value of a map */
  readonly children: readonly ShapeNode[]
}

export interface FileShape {
  readonly columns: readonly ShapeNode[]
  /** the same text for files of the same shape */
  readonly key: string
  readonly hasFieldIds: boolean
}

interface Element {
  readonly name: string
  readonly children: number
  readonly repeated: boolean
  readonly converted: string | null
  readonly logical: string | null
  readonly fieldId: number | undefined
  readonly sqlType: string | null
  readonly physical: string | null
}

/** Files are never rewritten, so that a shape once seen stays. */
const seen = new WeakMap<DuckSession, Map<string, FileShape>>()

/** The shapes of files by their paths. */
export async function loadShapes(
  session: DuckSession,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FileShape>> {
  const shapes = seen.get(session) ?? new Map<string, FileShape>()
  seen.set(session, shapes)
  await addShapes(
    session,
    paths.filter((path) => !shapes.has(path)),
    shapes,
  )
  return shapes
}

async function addShapes(
  session: DuckSession,
  paths: readonly string[],
  shapes: Map<string, FileShape>,
): Promise<void> {
  if (paths.length === 0) return
  const rows = (await session.query(
    `SELECT file_name, list({n: name, c: num_children, r: repetition_type = 'REPEATED', k: converted_type, l: logical_type,
              i: field_id, t: duckdb_type, p: type} ORDER BY column_id)::JSON::VARCHAR
     FROM parquet_schema(${pathList(paths)}) GROUP BY file_name`,
  )) as [string, string][]
  const known = new Map<string, FileShape>()
  for (const [path, text] of rows) {
    const shape = known.get(text) ?? (await withVariants(session, path, parseShape(text)))
    known.set(text, shape)
    shapes.set(path, shape)
  }
}

/** Only DuckDB's own reading tells whether two binaries are a variant to it: the footer's listing does not. */
async function withVariants(session: DuckSession, path: string, shape: FileShape): Promise<FileShape> {
  const mayBe = (node: ShapeNode): boolean => isVariantGroup(node) || node.children.some(mayBe)
  if (!shape.columns.some(mayBe)) return shape
  const described = await session.query(
    `DESCRIBE SELECT * FROM read_parquet(${pathList([path])}, hive_partitioning = false)`,
  )
  const types = new Map(described.map(([name, type]) => [String(name), String(type)]))
  const columns = shape.columns.map((node) => {
    return types.get(node.name)?.includes('VARIANT') ? asVariants(node) : node
  })
  return { ...shape, columns }
}

function isVariantGroup({ kind, children }: ShapeNode): boolean {
  const names = children.map(({ name }) => name)
  return kind === 'struct' && names.length === 2 && names.includes('metadata') && names.includes('value')
}

function asVariants(node: ShapeNode): ShapeNode {
  return isVariantGroup(node) ? { ...node, kind: 'leaf' } : { ...node, children: node.children.map(asVariants) }
}

type RawElement = Readonly<Record<'n' | 'k' | 'l' | 't' | 'p', string | null>> & {
  readonly c: number | null
  readonly r: boolean | null
  readonly i: number | null
}

function parseShape(text: string): FileShape {
  const elements = (JSON.parse(text) as RawElement[]).map((raw): Element => {
    return {
      name: raw.n ?? '',
      children: raw.c ?? 0,
      repeated: raw.r === true,
      converted: raw.k,
      logical: raw.l,
      fieldId: raw.i ?? undefined,
      sqlType: raw.t,
      physical: raw.p,
    }
  })
  let next = 1
  const build = (): ShapeNode => {
    const element = elements[next++]!
    const children = Array.from({ length: element.children }, build)
    return element.repeated ? { ...nodeOf(element, children), ...REPEATED } : nodeOf(element, children)
  }
  const columns = Array.from({ length: elements[0]?.children ?? 0 }, build).map(unmark)
  return { columns, key: text, hasFieldIds: elements.some(({ fieldId }) => fieldId !== undefined) }
}

/** Marks a node that repeats until the node around it has said what that means. */
const REPEATED = { isRepeated: true }
type Marked = ShapeNode & { readonly isRepeated?: boolean }

function nodeOf(element: Element, children: readonly Marked[]): ShapeNode {
  const { name, fieldId, converted, logical } = element
  const base = { name, fieldId, sqlType: element.sqlType ?? undefined }
  if (element.physical !== null) return { ...base, kind: 'leaf', children: [] }
  const [only] = children
  const isList = converted === 'LIST' || logical?.startsWith('ListType') === true
  const isMap = converted === 'MAP' || converted === 'MAP_KEY_VALUE' || logical?.startsWith('MapType') === true
  if (children.length === 1 && only?.isRepeated) {
    if (isMap && only.children.length === 2) return { ...base, kind: 'map', children: only.children.map(unmark) }
    if (isList) return { ...base, kind: 'list', children: [unmark(elementOf(name, only))] }
  }
  if (isVariant(children)) return { ...base, kind: 'leaf', children: children.map(unmark) }
  return { ...base, kind: 'struct', children: children.map(unmark) }
}

/** In three levels the repeated group is only a wrapper; in two it is the element. */
function elementOf(list: string, repeated: Marked): Marked {
  const isElement =
    repeated.kind === 'leaf' ||
    repeated.children.length !== 1 ||
    repeated.name === 'array' ||
    repeated.name === `${list}_tuple`
  return isElement ? repeated : repeated.children[0]!
}

/** A node that repeats and is in no list is one by itself. */
function unmark({ isRepeated, ...node }: Marked): ShapeNode {
  return isRepeated ? { ...node, kind: 'list', children: [{ ...node, name: 'element' }] } : node
}

function isVariant(children: readonly ShapeNode[]): boolean {
  const names = children.map(({ name }) => name)
  return names.length > 2 && names.includes('metadata') && names.includes('value') && names.includes('typed_value')
}
