/** Our statements in the form in which recorded statements of the reference are kept: the class of the plan and its parts. */
import { type Expression, printExpression, printName } from '../../../src/expressions/index.ts'
import type {
  AlterAction,
  AssignedValue,
  ColumnPath,
  MergeClause,
  PartitionSpec,
  QueryText,
  Statement,
  StatementOf,
  TableTarget,
  TimeTravel,
  ValuesList,
} from '../../../src/sql/parser/index.ts'
import { addedOf, changeOf, columnOf } from './column-form.ts'

export interface SparkForm {
  readonly plan: string
  /** the parts that both sides have */
  readonly parts: Readonly<Record<string, unknown>>
}

type Forms = { readonly [K in Statement['kind']]?: (statement: StatementOf<K>) => SparkForm }

export function sparkForm(statement: Statement): SparkForm | undefined {
  const form = FORMS[statement.kind] as ((statement: Statement) => SparkForm) | undefined
  return form?.(statement)
}

const FORMS: Forms = {
  'create table': ({ mode, table, ifNotExists, spec, as }) => ({
    plan: `${mode === 'create' ? 'Create' : 'Replace'}Table${as === undefined ? '' : 'AsSelect'}`,
    parts: {
      name: nameOf(table),
      ...(as === undefined && spec.columns.length > 0 && { columns: spec.columns.map(columnOf) }),
      ...(spec.clusterBy !== undefined && {
        partitioning: [`temp_cluster_by(${spec.clusterBy.map(pathOf).join(', ')})`],
      }),
      ...(mode === 'create' ? { ignoreIfExists: ifNotExists } : { orCreate: mode === 'create or replace' }),
      tableSpec: {
        ...(spec.provider !== undefined && { provider: spec.provider }),
        ...(spec.location !== undefined && { location: spec.location }),
        ...(spec.comment !== undefined && { comment: spec.comment }),
        ...(spec.properties.size > 0 && { properties: Object.fromEntries(spec.properties) }),
      },
    },
  }),
  'create table like': ({ ifNotExists, spec }) => ({
    plan: 'CreateTableLikeCommand',
    parts: {
      ifNotExists,
      ...(spec.provider !== undefined && { provider: spec.provider }),
      ...(spec.properties.size > 0 && { properties: Object.fromEntries(spec.properties) }),
    },
  }),
  clone: ({ table, source, at, mode, ifNotExists, location, properties }) => ({
    plan: 'CloneTableStatement',
    parts: {
      target: nameOf(table),
      source: travelOf(source, at),
      ifNotExists,
      isCreateCommand: mode !== 'replace',
      isReplaceCommand: mode !== 'create',
      ...(location !== undefined && { targetLocation: location }),
      ...(properties.size > 0 && { tablePropertyOverrides: Object.fromEntries(properties) }),
    },
  }),
  insert: (statement) => {
    const { table, overwrite, byName, columns, partition, ifPartitionNotExists, replaceWhere, source } = statement
    if (statement.with !== undefined) return { plan: 'UnresolvedWith', parts: {} }
    const query = queryOf(source)
    if (replaceWhere !== undefined) {
      return {
        plan: 'OverwriteByExpression',
        parts: { table: nameOf(table), deleteExpr: printed(replaceWhere), ...query },
      }
    }
    return {
      plan: 'InsertIntoStatement',
      parts: {
        table: nameOf(table),
        overwrite,
        byName,
        ifPartitionNotExists,
        ...(columns !== undefined && { userSpecifiedCols: columns }),
        ...(partition !== undefined && { partitionSpec: specOf(partition) }),
        ...query,
      },
    }
  },
  update: ({ table, alias, set, where }) => ({
    plan: 'UpdateTable',
    parts: {
      table: aliased(table, alias),
      set: set.map(({ column, value }) => [pathOf(column), assignedOf(value)]),
      ...(where !== undefined && { where: printed(where) }),
    },
  }),
  delete: ({ table, alias, where }) => ({
    plan: 'DeleteFromTable',
    parts: { table: aliased(table, alias), ...(where !== undefined && { where: printed(where) }) },
  }),
  merge: (statement) => {
    const { table, alias, source, sourceAlias, on, schemaEvolution } = statement
    if (statement.with !== undefined) return { plan: 'UnresolvedWith', parts: {} }
    return {
      plan: 'MergeIntoTable',
      parts: {
        target: aliased(table, alias),
        ...('text' in source ? {} : { source: aliased(source, sourceAlias) }),
        on: printed(on),
        schemaEvolution,
        matched: statement.matched.map(clauseOf),
        notMatched: statement.notMatched.map(clauseOf),
        notMatchedBySource: statement.notMatchedBySource.map(clauseOf),
      },
    }
  },
  'alter table': ({ table, action }) => alterOf(table, action),
  optimize: ({ table, full, zorderBy }) => ({
    plan: 'OptimizeTableCommand',
    parts: {
      child: child(table),
      optimizeContext: { isFull: full },
      ...(zorderBy.length > 0 && { zOrderBy: zorderBy.map(pathOf) }),
    },
  }),
  vacuum: ({ table, retainHours, inventory, dryRun, type }) => ({
    plan: 'VacuumTableCommand',
    parts: {
      child: child(table),
      dryRun,
      ...(retainHours !== undefined && { horizonHours: retainHours }),
      ...(type !== undefined && { vacuumType: type.toUpperCase() }),
      ...(inventory !== undefined &&
        ('text' in inventory ? { inventoryQuery: inventory.text } : { inventoryTable: nameOf(inventory) })),
    },
  }),
  restore: ({ table, to }) => ({ plan: 'RestoreTableStatement', parts: { table: travelOf(table, to) } }),
  reorg: ({ table, apply }) => ({
    plan: 'DeltaReorgTable',
    parts: {
      target: nameOf(table),
      reorgTableSpec:
        apply.kind === 'purge'
          ? { reorgTableMode: 'PURGE' }
          : { reorgTableMode: 'UNIFORM_ICEBERG', icebergCompatVersionOpt: apply.icebergVersion },
    },
  }),
  convert: ({ source, collectStatistics }) => ({
    plan: 'ConvertToDeltaCommand',
    parts: {
      tableIdentifier: {
        table: source.parts.at(-1),
        ...(source.parts.length > 1 && { database: source.parts[0] }),
      },
      collectStats: collectStatistics,
    },
  }),
  generate: ({ mode, table }) => ({ plan: 'DeltaGenerateCommand', parts: { child: nameOf(table), modeName: mode } }),
  'describe table': ({ table, extended, column }) => ({
    plan: column === undefined ? 'DescribeRelation' : 'DescribeColumn',
    parts: { relation: nameOf(table), isExtended: extended, ...(column !== undefined && { column: pathOf(column) }) },
  }),
  'describe detail': ({ table }) => ({ plan: 'DescribeDeltaDetailCommand', parts: { child: child(table) } }),
  'describe history': ({ table, limit }) => ({
    plan: 'DescribeDeltaHistory',
    parts: { child: child(table), ...(limit !== undefined && { limit }) },
  }),
  'show tables': ({ pattern }) => ({ plan: 'ShowTables', parts: { ...(pattern !== undefined && { pattern }) } }),
  'show properties': ({ table, key }) => ({
    plan: 'ShowTableProperties',
    parts: { table: nameOf(table), ...(key !== undefined && { propertyKey: key }) },
  }),
  'show columns': ({ table }) => ({ plan: 'ShowColumns', parts: { child: nameOf(table) } }),
  'show partitions': ({ table, partition }) => ({
    plan: 'ShowPartitions',
    parts: { table: nameOf(table), ...(partition !== undefined && { pattern: { spec: specOf(partition) } }) },
  }),
  'show create table': ({ table }) => ({ plan: 'ShowCreateTable', parts: { child: nameOf(table) } }),
  'comment on table': ({ table, comment }) => ({
    plan: 'CommentOnTable',
    parts: { table: nameOf(table), comment: comment ?? '' },
  }),
  'drop table': ({ table, ifExists, purge }) => ({
    plan: 'DropTable',
    parts: { child: nameOf(table), ifExists, purge },
  }),
  'truncate table': ({ table, partition }) =>
    partition === undefined
      ? { plan: 'TruncateTable', parts: { table: nameOf(table) } }
      : { plan: 'TruncatePartition', parts: { table: nameOf(table), partitionSpec: { spec: specOf(partition) } } },
  explain: ({ mode }) => ({
    plan: 'ExplainCommand',
    parts: { mode: `${mode[0]!.toUpperCase()}${mode.slice(1)}Mode` },
  }),
  set: ({ key, value, verbose }) => ({
    plan: 'SetCommand',
    parts: {
      ...(verbose && { kv: ['-v', null] }),
      ...(key !== undefined && value !== undefined && { kv: [key, value] }),
    },
  }),
  reset: ({ key }) => ({ plan: 'ResetCommand', parts: key === undefined ? {} : { config: key } }),
}

function alterOf(target: TableTarget, action: AlterAction): SparkForm {
  const table = nameOf(target)
  switch (action.kind) {
    case 'add columns':
      return { plan: 'AddColumns', parts: { table, columnsToAdd: action.columns.map(addedOf) } }
    case 'drop columns':
      return { plan: 'DropColumns', parts: { table, columnsToDrop: action.columns, ifExists: action.ifExists } }
    case 'rename column':
      return { plan: 'RenameColumn', parts: { table, column: action.column, newName: action.to } }
    case 'alter columns':
      return { plan: 'AlterColumns', parts: { table, specs: action.changes.map(changeOf) } }
    case 'sync identity':
      return { plan: 'AlterColumnSyncIdentity', parts: { table, column: action.column } }
    case 'rename table':
      return { plan: 'RenameTable', parts: { child: table, newName: nameOf(action.to) } }
    case 'set properties':
      return { plan: 'SetTableProperties', parts: { table, properties: Object.fromEntries(action.properties) } }
    case 'unset properties':
      return {
        plan: 'UnsetTableProperties',
        parts: { table, propertyKeys: action.keys, ifExists: action.ifExists },
      }
    case 'add constraint':
      return { plan: /^(AlterTable)?Add(Check)?Constraint$/.source, parts: {} }
    case 'drop constraint':
      return { plan: /^(AlterTable)?DropConstraint$/.source, parts: {} }
    case 'cluster by':
      return {
        plan: 'AlterTableClusterBy',
        parts: {
          table,
          ...(action.columns.length > 0 && { clusterBySpec: { columnNames: action.columns.map(pathOf) } }),
        },
      }
    case 'drop feature': {
      const { feature, truncateHistory } = action
      return { plan: 'AlterTableDropFeature', parts: { table, featureName: feature, truncateHistory } }
    }
    case 'set location':
      return { plan: 'SetTableLocation', parts: { table, location: action.location } }
    default:
      return { plan: '.*', parts: {} }
  }
}

/** Stands for an expression that is not ours, of which the recording keeps no text to compare with. */
export const ANY = '\u0000any'

function printed(expression: Expression): string {
  return hasForeign(expression) ? ANY : printExpression(expression)
}

function hasForeign(node: Expression): boolean {
  switch (node.kind) {
    case 'foreign':
      return true
    case 'call':
      return node.args.some(hasForeign)
    case 'cast':
      return hasForeign(node.child)
    case 'lambda':
      return hasForeign(node.body)
    case 'case':
      return [
        ...node.branches.flatMap(({ when, then }) => [when, then]),
        ...(node.otherwise ? [node.otherwise] : []),
      ].some(hasForeign)
    default:
      return false
  }
}

function nameOf(target: TableTarget): unknown {
  return 'computed' in target ? { identifierExpr: printExpression(target.computed) } : target.parts
}

/** A table, or a path that stands for one. */
function child(target: TableTarget): unknown {
  return 'parts' in target && target.isPath ? { path: target.parts[0] } : nameOf(target)
}

function aliased(target: TableTarget, alias: string | undefined): unknown {
  return alias === undefined ? nameOf(target) : { alias, of: nameOf(target) }
}

function travelOf(table: TableTarget, at: TimeTravel | undefined): unknown {
  if (at === undefined) return nameOf(table)
  const point = 'version' in at ? { version: at.version } : { timestamp: printExpression(at.timestamp) }
  return { relation: nameOf(table), ...point }
}

function pathOf(path: ColumnPath): string {
  return path.map(printName).join('.')
}

function specOf(partition: PartitionSpec): Record<string, unknown> {
  return Object.fromEntries(
    partition.map(({ column, value }) => [column, value === undefined ? null : constant(value)]),
  )
}

function constant(value: Expression): unknown {
  return value.kind === 'literal' ? String(value.value) : printExpression(value)
}

function assignedOf(value: AssignedValue): string {
  return value === 'default' ? 'DEFAULT' : printed(value)
}

function queryOf(source: QueryText | ValuesList): Record<string, unknown> {
  return 'rows' in source ? { query: { rows: source.rows.map((row) => row.map(assignedOf)) } } : {}
}

function clauseOf({ if: condition, action }: MergeClause): Record<string, unknown> {
  const all = action.do !== 'delete' && action.set === '*'
  return {
    do: all ? `${action.do} *` : action.do,
    ...(condition !== undefined && { if: printed(condition) }),
    ...(action.do !== 'delete' &&
      action.set !== '*' && { set: action.set.map(({ column, value }) => [pathOf(column), assignedOf(value)]) }),
  }
}
