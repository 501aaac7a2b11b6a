/** Files that hold what the table has no more, or has otherwise: found in the log, or by a look at their footers. */

import { STORED_FIELD_ID } from '../../engine/index.ts'
import { type AddFile, fieldId, isWidening, physicalName, type TableLayout } from '../../kernel/index.ts'
import { type DataType, foldCase, type StructField, type StructType, typeToJson } from '../../schema/index.ts'
import type { OperationContext } from '../context.ts'

/** Why a file is written anew though its rows stay: what it holds besides them, or how it holds them. */
export type StaleReason = 'deleted rows' | 'dropped columns' | 'narrower types'

/**
 * The files of a list that one of the reasons holds for, in the list's order.
 *
 * @throws DeltaError the codes of `Engine.readSchemas`, where a reason needs a look into the files
 */
export async function staleFiles(
  files: readonly AddFile[],
  reasons: ReadonlySet<StaleReason>,
  { layout, context }: { readonly layout: TableLayout; readonly context: OperationContext },
): Promise<readonly AddFile[]> {
  const stale = new Set(reasons.has('deleted rows') ? files.filter(hasDeletedRows) : [])
  const shapes = reasons.has('dropped columns') || reasons.has('narrower types')
  const { engine, store, options } = context
  const rest = shapes ? files.filter((file) => !stale.has(file)) : []
  const { signal } = options
  for await (const { file, schema } of engine.readSchemas(store, rest, signal && { signal })) {
    if (isStale(schema, layout, reasons)) stale.add(file)
  }
  return files.filter((file) => stale.has(file))
}

function hasDeletedRows({ deletionVector }: AddFile): boolean {
  return deletionVector !== undefined && deletionVector.cardinality > 0
}

function isStale(stored: StructType, layout: TableLayout, reasons: ReadonlySet<StaleReason>): boolean {
  const moved = new Set(Object.values(layout.rowTracking ?? {}))
  const columns = { ...stored, fields: stored.fields.filter(({ name }) => !moved.has(name)) }
  const differences = structDifferences(columns, layout.schema, layout)
  return [...differences].some((reason) => reasons.has(reason))
}

function* structDifferences(stored: StructType, known: StructType, layout: TableLayout): Generator<StaleReason> {
  for (const column of stored.fields) {
    const field = known.fields.find((candidate) => isSame(column, candidate, layout))
    if (field === undefined) yield 'dropped columns'
    else yield* typeDifferences(column.type, field.type, layout)
  }
}

function* typeDifferences(stored: DataType, known: DataType, layout: TableLayout): Generator<StaleReason> {
  if (stored.kind === 'struct' && known.kind === 'struct') yield* structDifferences(stored, known, layout)
  else if (stored.kind === 'array' && known.kind === 'array')
    yield* typeDifferences(stored.element, known.element, layout)
  else if (stored.kind === 'map' && known.kind === 'map') {
    yield* typeDifferences(stored.key, known.key, layout)
    yield* typeDifferences(stored.value, known.value, layout)
  } else if (isWidening(nameOf(stored), nameOf(known))) yield 'narrower types'
}

/** As the log writes it; empty for a nested type. */
function nameOf(type: DataType): string {
  const json = typeToJson(type)
  return typeof json === 'string' ? json : ''
}

function isSame(column: StructField, field: StructField, layout: TableLayout): boolean {
  if (layout.columnMapping === 'id' && column.metadata[STORED_FIELD_ID] !== undefined) {
    return column.metadata[STORED_FIELD_ID] === fieldId(field)
  }
  return foldCase(column.name) === foldCase(physicalName(field, layout))
}
