/**
 * The tables of a catalog by DuckLake format.
 *
 * One list serves reading and writing: a column says since which format it exists. Reading goes by name and takes what
 * is missing as NULL, so that the formats before 1.0, and later ones that add columns, read by the same list.
 * Source: DuckLake 1.0 and 1.1, "Tables".
 */

export type ColumnType = 'BIGINT' | 'VARCHAR' | 'BOOLEAN' | 'UUID' | 'TIMESTAMPTZ'

export interface CatalogColumn {
  readonly name: string
  readonly type: ColumnType
  /** the format that added it, where that is not 1.0 */
  readonly since?: '1.1'
}

export interface CatalogTable {
  readonly name: string
  readonly columns: readonly CatalogColumn[]
  readonly key?: string
  readonly since?: '1.1'
}

/** Formats whose catalogs are read. */
export const READ_FORMATS = ['0.1', '0.2', '0.3', '0.4', '1.0', '1.1'] as const
/** Formats that are written, older first. */
export const WRITE_FORMATS = ['1.0', '1.1'] as const
export type WriteFormat = (typeof WRITE_FORMATS)[number]

const TYPES: Readonly<Record<string, ColumnType>> = {
  B: 'BIGINT',
  V: 'VARCHAR',
  O: 'BOOLEAN',
  U: 'UUID',
  T: 'TIMESTAMPTZ',
}

/** @param text `name TYPE`, a comma between columns; `!` behind a type: since 1.1 */
function table(name: string, text: string, options: Partial<Pick<CatalogTable, 'key' | 'since'>> = {}): CatalogTable {
  const columns = text.split(', ').map((part): CatalogColumn => {
    const [column, type] = part.split(' ') as [string, string]
    return { name: column, type: TYPES[type[0]!]!, ...(type.endsWith('!') && { since: '1.1' }) }
  })
  return { name: `ducklake_${name}`, columns, ...options }
}

/** All tables of format 1.1, in the order of its description. */
export const CATALOG_TABLES: readonly CatalogTable[] = [
  table('metadata', 'key V, value V, scope V, scope_id B'),
  table('snapshot', 'snapshot_id B, snapshot_time T, schema_version B, next_catalog_id B, next_file_id B', {
    key: 'snapshot_id',
  }),
  table('snapshot_changes', 'snapshot_id B, changes_made V, author V, commit_message V, commit_extra_info V', {
    key: 'snapshot_id',
  }),
  table(
    'schema',
    'schema_id B, schema_uuid U, begin_snapshot B, end_snapshot B, schema_name V, path V, path_is_relative O, parent_schema_id B!',
    { key: 'schema_id' },
  ),
  table(
    'table',
    'table_id B, table_uuid U, begin_snapshot B, end_snapshot B, schema_id B, table_name V, path V, path_is_relative O',
  ),
  table(
    'view',
    'view_id B, view_uuid U, begin_snapshot B, end_snapshot B, schema_id B, view_name V, dialect V, sql V, column_aliases V',
  ),
  table(
    'column',
    'column_id B, begin_snapshot B, end_snapshot B, table_id B, column_order B, column_name V, column_type V, initial_default V, default_value V, nulls_allowed O, parent_column B, default_value_type V, default_value_dialect V',
  ),
  table('tag', 'object_id B, begin_snapshot B, end_snapshot B, key V, value V'),
  table('column_tag', 'table_id B, column_id B, begin_snapshot B, end_snapshot B, key V, value V'),
  table(
    'data_file',
    'data_file_id B, table_id B, begin_snapshot B, end_snapshot B, file_order B, path V, path_is_relative O, file_format V, record_count B, file_size_bytes B, footer_size B, row_id_start B, partition_id B, encryption_key V, mapping_id B, partial_max B, row_group_count B!',
    { key: 'data_file_id' },
  ),
  table(
    'delete_file',
    'delete_file_id B, table_id B, begin_snapshot B, end_snapshot B, data_file_id B, path V, path_is_relative O, format V, delete_count B, file_size_bytes B, footer_size B, encryption_key V, partial_max B, row_group_count B!',
    { key: 'delete_file_id' },
  ),
  table('files_scheduled_for_deletion', 'data_file_id B, path V, path_is_relative O, schedule_start T'),
  table(
    'file_column_stats',
    'data_file_id B, table_id B, column_id B, column_size_bytes B, value_count B, null_count B, min_value V, max_value V, contains_nan O, extra_stats V, min_is_exact O!, max_is_exact O!',
  ),
  table(
    'file_variant_stats',
    'data_file_id B, table_id B, column_id B, variant_path V, shredded_type V, column_size_bytes B, value_count B, null_count B, min_value V, max_value V, contains_nan O, extra_stats V',
  ),
  table('table_stats', 'table_id B, record_count B, next_row_id B, file_size_bytes B'),
  table(
    'table_column_stats',
    'table_id B, column_id B, contains_null O, contains_nan O, min_value V, max_value V, extra_stats V, min_is_exact O!, max_is_exact O!',
  ),
  table('partition_info', 'partition_id B, table_id B, begin_snapshot B, end_snapshot B'),
  table('partition_column', 'partition_id B, table_id B, partition_key_index B, column_id B, transform V'),
  table('file_partition_value', 'data_file_id B, table_id B, partition_key_index B, partition_value V'),
  table('inlined_data_tables', 'table_id B, table_name V, schema_version B'),
  table('column_mapping', 'mapping_id B, table_id B, type V'),
  table('name_mapping', 'mapping_id B, column_id B, source_name V, target_field_id B, parent_column B, is_partition O'),
  table('schema_versions', 'begin_snapshot B, schema_version B, table_id B'),
  table('macro', 'schema_id B, macro_id B, macro_name V, begin_snapshot B, end_snapshot B'),
  table('macro_impl', 'macro_id B, impl_id B, dialect V, sql V, type V'),
  table(
    'macro_parameters',
    'macro_id B, impl_id B, column_id B, parameter_name V, parameter_type V, default_value V, default_value_type V',
  ),
  table('sort_info', 'sort_id B, table_id B, begin_snapshot B, end_snapshot B'),
  table(
    'sort_expression',
    'sort_id B, table_id B, sort_key_index B, expression V, dialect V, sort_direction V, null_order V',
  ),
  table('view_column_tag', 'view_id B, column_name V, begin_snapshot B, end_snapshot B, key V, value V', {
    since: '1.1',
  }),
]

/** Names that older formats gave to tables. */
export const OLDER_NAMES: ReadonlyMap<string, string> = new Map([
  ['ducklake_file_column_stats', 'ducklake_file_column_statistics'],
])

/** The tables of a format that is written, with the columns it has. */
export function tablesOf(format: WriteFormat): readonly CatalogTable[] {
  const isIn = ({ since }: { readonly since?: '1.1' }) => since === undefined || format === '1.1'
  return CATALOG_TABLES.filter(isIn).map((entry) => ({ ...entry, columns: entry.columns.filter(isIn) }))
}

/** What inlined data tables call their system columns. */
export const INLINE_PREFIX = '_ducklake_'
