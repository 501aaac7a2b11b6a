/** What keeps a logical catalog from being written in an older format. Source: DuckLake 1.1, "Changes". */
import type { WriteFormat } from '../catalog/formats.ts'
import { parseChanges } from '../snapshot/changes-made.ts'
import { isContainer, leafType } from '../snapshot/types.ts'
import type { Draft } from './draft.ts'

const CHANGE_WORDS = new Set(
  ['schema', 'table', 'view', 'scalar_macro', 'table_macro']
    .flatMap((kind) => [`created_${kind}`, `dropped_${kind}`])
    .concat('inserted_into_table', 'deleted_from_table', 'altered_table', 'altered_view', 'compacted_table')
    .concat('merge_adjacent', 'rewrite_delete', 'inlined_insert', 'inlined_delete', 'inline_flush'),
)

/**
 * @param isContainerFile whether a Puffin delete file, by its id, holds several vectors
 * @returns the first reason; undefined where the format says all of it
 */
export async function formatLimit(
  draft: Draft,
  format: WriteFormat,
  isContainerFile: (deleteFileId: number) => Promise<boolean>,
): Promise<string | undefined> {
  const unknown = await unknownParts(draft)
  if (unknown !== undefined || format === '1.1') return unknown
  return (
    (await nestedSchema(draft)) ??
    (await newerColumns(draft)) ??
    (await newerTransforms(draft)) ??
    (await inlinedNames(draft)) ??
    (await containers(draft, isContainerFile))
  )
}

async function unknownParts(draft: Draft): Promise<string | undefined> {
  const types = await draft.query(
    `SELECT DISTINCT c.column_type, any_value(t.table_name || '.' || c.column_name) FROM ${draft.view('column')} c
     LEFT JOIN ${draft.view('table')} t USING (table_id) GROUP BY 1`,
  )
  for (const [type, column] of types) {
    const name = String(type)
    if (!isContainer(name) && leafType(name) === undefined) return `the column ${column} has the type ${name}`
  }
  const changes = await draft.query(`SELECT snapshot_id, changes_made FROM ${draft.view('snapshot_changes')}`)
  for (const [snapshot, text] of changes) {
    const word = parseChanges(String(text ?? '')).find((change) => !CHANGE_WORDS.has(change.word))?.word
    if (word !== undefined) return `snapshot ${snapshot} records the change ${word}`
  }
  return undefined
}

async function nestedSchema(draft: Draft): Promise<string | undefined> {
  const [row] = await draft.query(
    `SELECT schema_name FROM ${draft.view('schema')} WHERE parent_schema_id IS NOT NULL LIMIT 1`,
  )
  return row && `the schema ${row[0]} lies in another schema`
}

async function newerColumns(draft: Draft): Promise<string | undefined> {
  const [row] = await draft.query(
    `SELECT s.schema_name, t.table_name, c.column_name, c.column_type FROM ${draft.view('column')} c
     LEFT JOIN ${draft.view('table')} t USING (table_id) LEFT JOIN ${draft.view('schema')} s USING (schema_id)
     WHERE c.column_type IN ('null', 'timestamptz_ns') LIMIT 1`,
  )
  return row && `column ${row[0]}.${row[1]}.${row[2]} has type ${row[3]}`
}

async function newerTransforms(draft: Draft): Promise<string | undefined> {
  const [row] = await draft.query(
    `SELECT transform FROM ${draft.view('partition_column')} WHERE starts_with(transform, 'epoch_') LIMIT 1`,
  )
  return row && `files are partitioned by ${row[0]}`
}

async function inlinedNames(draft: Draft): Promise<string | undefined> {
  for (const table of await draft.inlinedTables()) {
    const [row] = await draft.query(
      `SELECT column_name FROM (DESCRIBE ${draft.raw(table)})
       WHERE column_name IN ('row_id', 'begin_snapshot', 'end_snapshot') AND '${table}' LIKE '%data%' LIMIT 1`,
    )
    if (row !== undefined) return `inlined rows have a column called ${row[0]}`
  }
  return undefined
}

async function containers(
  draft: Draft,
  isContainerFile: (id: number) => Promise<boolean>,
): Promise<string | undefined> {
  const rows = await draft.query(
    `SELECT delete_file_id, path FROM ${draft.view('delete_file')} WHERE format = 'puffin'`,
  )
  for (const [id, path] of rows) {
    if (await isContainerFile(Number(id))) return `the delete file ${path} holds vectors of several snapshots`
  }
  return undefined
}
