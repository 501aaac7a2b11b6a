/** Errors of changes to what a table is: columns, types, properties, constraints, features. */
import type { ErrorSpec } from './spec.ts'

const mapping = 'set delta.columnMapping.mode to name first'

export const alterErrors = {
  FIELD_ALREADY_EXISTS: {
    message: 'the column {column} cannot be {verb}: there is a column of that name already',
    remedy: 'names are compared regardless of case; choose another',
    sqlState: '42710',
    kind: 'usage',
  },
  INVALID_FIELD_NAME: {
    message: 'there can be no column {column}, because {parent} is no struct but {type}',
    sqlState: '42000',
    kind: 'usage',
  },
  FIELD_NOT_FOUND: {
    message: 'the column {column} cannot go behind {after}, which is not among its neighbours {fields}',
    sqlState: '42704',
    kind: 'usage',
  },
  DELTA_OPERATION_NOT_ALLOWED: {
    message: '{operation} is not possible on a Delta table: {reason}',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  'DELTA_DUPLICATE_COLUMNS_FOUND.ADDING_COLUMNS': {
    message: 'the columns to be added hold {columns} more than once, regardless of case',
    sqlState: '42711',
    kind: 'usage',
  },
  WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED: {
    message: 'the column {column} cannot be added with a default, because rows that are there would have none',
    remedy: 'add it without one, then set the default, which holds for rows that come later',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED: {
    message: 'the column {column} cannot have a default, because the table lacks the feature allowColumnDefaults',
    remedy: 'set delta.feature.allowColumnDefaults to supported first',
    sqlState: '0AKDE',
    kind: 'usage',
  },
  'INVALID_DEFAULT_VALUE.DATA_TYPE': {
    message: 'the default {default} of the column {column} is {found}, and the column is {type}',
    sqlState: '42623',
    kind: 'usage',
  },
  'INVALID_DEFAULT_VALUE.UNRESOLVED_EXPRESSION': {
    message: 'the default {default} of the column {column} names something that is no value: {cause}',
    sqlState: '42623',
    kind: 'usage',
  },
  'INVALID_DEFAULT_VALUE.NOT_CONSTANT': {
    message: 'the default {default} of the column {column} is not the same for every row',
    sqlState: '42623',
    kind: 'usage',
  },
  NOT_SUPPORTED_CHANGE_COLUMN: {
    message: 'the column {column} of {path} cannot go from {from} to {to}, which does not hold all its values',
    remedy: 'write the rows into a new column, or overwrite the table with overwriteSchema',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  NOT_SUPPORTED_CHANGE_SAME_COLUMN: {
    message: 'the column {column} of {path}, or what lies in it, is changed more than once by one command',
    sqlState: '0A000',
    kind: 'usage',
  },
  'CANNOT_UPDATE_FIELD.STRUCT_TYPE': {
    message: 'the type of {column} of {path} cannot be changed as a whole, because it is a struct',
    remedy: 'change its fields',
    sqlState: '0A000',
    kind: 'usage',
  },
  'CANNOT_UPDATE_FIELD.ARRAY_TYPE': {
    message: 'the type of {column} of {path} cannot be changed as a whole, because it is an array',
    remedy: 'change {column}.element',
    sqlState: '0A000',
    kind: 'usage',
  },
  'CANNOT_UPDATE_FIELD.MAP_TYPE': {
    message: 'the type of {column} of {path} cannot be changed as a whole, because it is a map',
    remedy: 'change {column}.key or {column}.value',
    sqlState: '0A000',
    kind: 'usage',
  },
  DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP: {
    message: 'the column {column} of {path} cannot go from {from} to {to}',
    remedy: '{advice}',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP: {
    message: 'the columns of {path} cannot be replaced: {reason}',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  _LEGACY_ERROR_TEMP_2330: {
    message: 'the column {column} takes null, and rows that are there may hold it, so it cannot become NOT NULL',
    remedy: 'add a CHECK constraint {column} IS NOT NULL, which looks at every row',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  _LEGACY_ERROR_TEMP_2045: {
    message: 'the table property {property} cannot be {value}; it takes {allowed}',
    sqlState: '0A000',
    kind: 'usage',
  },
  DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY: {
    message: '{column} cannot have a comment: what an array or a map holds has none of its own',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_UNSUPPORTED_DROP_COLUMN: {
    message: 'the column {column} of {path} cannot be dropped, because its files know columns by their names',
    remedy: mapping,
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_UNSUPPORTED_RENAME_COLUMN: {
    message: 'the column {column} of {path} cannot be renamed, because its files know columns by their names',
    remedy: mapping,
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN: {
    message: '{column} cannot be dropped: {path} is partitioned by it',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN: {
    message: '{column} cannot be dropped: {path} is clustered by it',
    remedy: 'cluster by other columns first',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE: {
    message: '{column} cannot be dropped: it is what {parent} is made of, not a field of a struct',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_UNSUPPORTED_RENAME_NESTED_COLUMN: {
    message: '{column} cannot be renamed: it is what an array or a map holds, not a field of a struct',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA: {
    message: '{column} cannot be dropped: nothing would be left of {parent}',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE: {
    message: 'the column {column} cannot be changed: the constraints {dependents} speak of it',
    remedy: 'drop them first, and add them again afterwards',
    sqlState: '42K09',
  },
  DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE: {
    message: 'the column {column} cannot be changed: the generated columns {dependents} are made of it',
    sqlState: '42K09',
  },
  DELTA_ADD_CONSTRAINTS: {
    message: 'the CHECK constraint {name} cannot be set as a property, because existing rows would not be looked at',
    remedy: 'add it as a constraint',
    sqlState: '0A000',
    kind: 'usage',
  },
  DELTA_CONSTRAINT_ALREADY_EXISTS: {
    message: 'there is a constraint {name} already: {expression}',
    remedy: 'drop it first',
    sqlState: '42710',
    kind: 'usage',
  },
  DELTA_CONSTRAINT_DOES_NOT_EXIST: {
    message: '{path} has no constraint {name}',
    remedy: 'drop it with IF EXISTS to let that pass',
    sqlState: '42704',
    kind: 'usage',
  },
  DELTA_NEW_CHECK_CONSTRAINT_VIOLATION: {
    message: '{count} rows of {path} do not satisfy the new constraint {expression}; a null result counts as false',
    sqlState: '23512',
  },
  DELTA_NON_BOOLEAN_CHECK_CONSTRAINT: {
    message: 'the constraint {name} is {type} and not a condition: {expression}',
    sqlState: '42621',
    kind: 'usage',
  },
  DELTA_CANNOT_MODIFY_TABLE_PROPERTY: {
    message: 'the table property {property} is kept by the table itself and cannot be set',
    sqlState: '42939',
    kind: 'usage',
  },
  'UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY': {
    message: 'the property {property} is reserved: {reason}',
    sqlState: '0A000',
    kind: 'usage',
  },
  DELTA_COLUMN_NOT_FOUND_IN_SCHEMA: {
    message: 'there is no column {column} in the table, which has {columns}',
    sqlState: '42703',
    kind: 'usage',
  },
  DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE: {
    message: 'no statistics are kept for the column {column}, which is {type}',
    sqlState: '0AKDC',
    kind: 'usage',
  },
  DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED: {
    message: 'the feature clustering comes with clustering columns and cannot be set as a property',
    remedy: 'replace the table by one with clustering columns',
    sqlState: '42000',
    kind: 'usage',
  },
  DELTA_CREATE_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED: {
    message: 'the feature clustering comes with clustering columns and cannot be set as a property',
    remedy: 'name the columns to cluster by',
    sqlState: '42000',
    kind: 'usage',
  },
  DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED: {
    message: '{path} is partitioned by {columns}, so it cannot be clustered too',
    sqlState: '42000',
    kind: 'unsupported',
  },
  DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE: {
    message: '{path} is clustered, and a partitioned table cannot be put in its place',
    remedy: 'ALTER TABLE … CLUSTER BY NONE first, or make a table of another name',
    sqlState: '42000',
  },
  DELTA_CLUSTER_BY_WITH_PARTITIONED_BY: {
    message: 'a table is clustered or partitioned, not both',
    sqlState: '42613',
    kind: 'usage',
  },
  DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS: {
    message: '{count} clustering columns are given; a table has {most} at most',
    sqlState: '54000',
    kind: 'usage',
  },
  'DELTA_DUPLICATE_COLUMNS_FOUND.CLUSTER_BY': {
    message: 'the clustering column {columns} is given twice',
    sqlState: '42711',
    kind: 'usage',
  },
  DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED: {
    message: 'the table cannot be clustered by {column}, which is {type}: no bounds are kept of it',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED: {
    message: 'the identity column {column} gets its values from the table and cannot be changed that way',
    sqlState: '429BQ',
    kind: 'unsupported',
  },
  DELTA_INVALID_PROTOCOL_DOWNGRADE: {
    message: 'the protocol ({reader},{writer}) lacks {features}, which {path} has; a protocol only grows',
    remedy: 'drop the features one by one where they are no longer wanted',
    sqlState: 'KD004',
    kind: 'usage',
  },
  'INVALID_DEFAULT_VALUE.NON_DETERMINISTIC': {
    message: 'the default {default} of the column {column} gives another value each time it is asked',
    sqlState: '42623',
    kind: 'usage',
  },
  DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN: {
    message: 'the column {column} is generated by {expression}, and {part} is not taken there',
    remedy: 'write it with plain functions, operators and CASE',
    sqlState: '42621',
  },
  UNSUPPORTED_EXPRESSION_GENERATED_COLUMN: {
    message: 'the column {column} cannot be generated by {expression}: {reason}',
    sqlState: '42621',
    kind: 'usage',
  },
  DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH: {
    message: 'the column {column} is {type}, and what generates it is {found}: {expression}',
    remedy: 'cast the expression, or change the type of the column',
    sqlState: '42K09',
    kind: 'usage',
  },
  DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE: {
    message: 'the identity column {column} is {type}; it must be bigint',
    sqlState: '428H2',
    kind: 'unsupported',
  },
  DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED: {
    message: 'the table cannot be partitioned by the identity column {column}',
    sqlState: '42601',
    kind: 'usage',
  },
  IDENTITY_COLUMNS_ILLEGAL_STEP: {
    message: 'the step of the identity column {column} cannot be 0',
    sqlState: '42611',
    kind: 'usage',
  },
  TABLE_OR_VIEW_NOT_FOUND: {
    message: 'there is no table {path}',
    remedy: 'check its name; CREATE OR REPLACE TABLE and createOrReplace make one where there is none',
    sqlState: '42P01',
    kind: 'usage',
  },
  DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION: {
    message: 'the table {path} cannot be managed by a catalog, because it is addressed by its path',
    remedy: 'create it through its catalog',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
} as const satisfies Record<string, ErrorSpec>
