/**
 * Statements as data: what the parser reads and nothing resolved.
 *
 * Names are as written, expressions are trees of the expression language, bodies of queries are text. One kind of node a
 * statement; the file of the same name under `statements/` reads it.
 */
import type { Expression, Span } from '../../expressions/index.ts'
import type { DataType, StructField } from '../../schema/index.ts'

/** `orders`, `shop.orders`, ``delta.`/lake/orders` ``; a text in quotes, where a statement takes one, is a path. */
export interface TableName {
  readonly parts: readonly string[]
  readonly isPath: boolean
  readonly span: Span
}

/** A name worked out from an expression: `IDENTIFIER('or' || 'ders')`. */
export interface ComputedName {
  readonly computed: Expression
  readonly span: Span
}

export type TableTarget = TableName | ComputedName

/** The version or time a statement names; the time is an expression without columns. */
export type TimeTravel = { readonly version: number } | { readonly timestamp: Expression }

export type ColumnPath = readonly string[]
export type Properties = ReadonlyMap<string, string>
/** A column of a partition and its value; undefined where the query gives it. */
export type PartitionSpec = readonly { readonly column: string; readonly value: Expression | undefined }[]

/** A query, word for word; its grammar is the engine's. */
export interface QueryText {
  readonly text: string
  /** where the text begins in the statement */
  readonly start: number
}

/** Rows of a VALUES list, which is of the expression language. */
export interface ValuesList {
  readonly rows: readonly (readonly AssignedValue[])[]
}

/** The value given to a column: an expression, or the word DEFAULT. */
export type AssignedValue = Expression | 'default'

export interface Assignment {
  readonly column: ColumnPath
  readonly value: AssignedValue
}

export type Position = 'first' | { readonly after: string }

export interface IdentitySpec {
  readonly always: boolean
  readonly start: bigint
  readonly step: bigint
}

export interface ColumnDefinition {
  readonly field: StructField
  /** a type that is Spark's and no table's of ours, as written; refused when the statement runs */
  readonly foreignType?: string
  /** texts, as they are kept in the table */
  readonly default?: string
  readonly generated?: string
  readonly identity?: IdentitySpec
}

export interface AddedColumn extends ColumnDefinition {
  /** the struct it goes into; empty at the top level */
  readonly parent: ColumnPath
  readonly position?: Position
}

export type TableConstraint =
  | { readonly kind: 'check'; readonly name?: string; readonly text: string; readonly expression: Expression }
  /** PRIMARY KEY, UNIQUE, FOREIGN KEY: read, and refused when the statement runs */
  | { readonly kind: 'key'; readonly name?: string; readonly text: string }

export interface TableSpec {
  readonly columns: readonly ColumnDefinition[]
  readonly constraints: readonly TableConstraint[]
  readonly provider?: string
  readonly options: Properties
  /** names, or transforms such as `days(ts)`, which are refused when the statement runs */
  readonly partitionedBy: readonly string[]
  readonly clusterBy?: readonly ColumnPath[]
  readonly location?: string
  readonly comment?: string
  readonly properties: Properties
  /** other clauses of Spark's (STORED AS, CLUSTERED BY …), by their first words; refused when the statement runs */
  readonly foreignClauses: readonly string[]
}

export type CreateMode = 'create' | 'create or replace' | 'replace'

export interface AlterColumnAction {
  readonly column: ColumnPath
  readonly type?: DataType
  /** what a column keeps of its type in its metadata: the length of a CHAR or VARCHAR */
  readonly typeMetadata?: StructField['metadata']
  readonly foreignType?: string
  readonly comment?: string
  readonly position?: Position
  readonly nullable?: boolean
  readonly default?: string | null
}

export type AlterAction =
  | { readonly kind: 'add columns'; readonly columns: readonly AddedColumn[] }
  | { readonly kind: 'drop columns'; readonly columns: readonly ColumnPath[]; readonly ifExists: boolean }
  | { readonly kind: 'rename column'; readonly column: ColumnPath; readonly to: string }
  | { readonly kind: 'replace columns'; readonly columns: readonly AddedColumn[] }
  | { readonly kind: 'alter columns'; readonly changes: readonly AlterColumnAction[] }
  | { readonly kind: 'sync identity'; readonly column: ColumnPath }
  | { readonly kind: 'rename table'; readonly to: TableTarget }
  | { readonly kind: 'set properties'; readonly properties: Properties }
  | { readonly kind: 'unset properties'; readonly keys: readonly string[]; readonly ifExists: boolean }
  | { readonly kind: 'add constraint'; readonly constraint: TableConstraint }
  | { readonly kind: 'drop constraint'; readonly name: string; readonly ifExists: boolean }
  | { readonly kind: 'cluster by'; readonly columns: readonly ColumnPath[] }
  | { readonly kind: 'add feature'; readonly feature: string }
  | { readonly kind: 'drop feature'; readonly feature: string; readonly truncateHistory: boolean }
  | { readonly kind: 'set location'; readonly location: string }
  /** partitions by hand, collations: read, and refused when the statement runs */
  | { readonly kind: 'foreign'; readonly words: string }

export interface MergeClause {
  readonly if?: Expression
  readonly action:
    | { readonly do: 'delete' }
    | { readonly do: 'update'; readonly set: readonly Assignment[] | '*' }
    | { readonly do: 'insert'; readonly set: readonly Assignment[] | '*' }
}

export type MergeSource = TableTarget | QueryText

export type Statement =
  | { readonly kind: 'query'; readonly query: QueryText }
  | {
      readonly kind: 'create table'
      readonly mode: CreateMode
      readonly table: TableTarget
      readonly ifNotExists: boolean
      readonly spec: TableSpec
      readonly as?: QueryText
    }
  | {
      readonly kind: 'create table like'
      readonly table: TableTarget
      readonly source: TableTarget
      readonly ifNotExists: boolean
      readonly spec: Pick<TableSpec, 'provider' | 'location' | 'properties'>
    }
  | {
      readonly kind: 'clone'
      readonly depth: 'shallow' | 'deep'
      readonly mode: CreateMode
      readonly table: TableTarget
      readonly source: TableTarget
      readonly at?: TimeTravel
      readonly ifNotExists: boolean
      readonly location?: string
      readonly properties: Properties
    }
  | {
      readonly kind: 'insert'
      readonly table: TableTarget
      readonly overwrite: boolean
      readonly byName: boolean
      readonly columns?: readonly string[]
      readonly partition?: PartitionSpec
      readonly ifPartitionNotExists: boolean
      readonly replaceWhere?: Expression
      /** of `WITH x AS (…) INSERT …`, to be put before the query */
      readonly with?: QueryText
      readonly source: QueryText | ValuesList
    }
  | {
      readonly kind: 'update'
      readonly table: TableTarget
      readonly alias?: string
      readonly set: readonly Assignment[]
      readonly where?: Expression
    }
  | { readonly kind: 'delete'; readonly table: TableTarget; readonly alias?: string; readonly where?: Expression }
  | {
      readonly kind: 'merge'
      readonly table: TableTarget
      readonly alias?: string
      readonly source: MergeSource
      readonly sourceAlias?: string
      readonly with?: QueryText
      readonly on: Expression
      readonly schemaEvolution: boolean
      readonly matched: readonly MergeClause[]
      readonly notMatched: readonly MergeClause[]
      readonly notMatchedBySource: readonly MergeClause[]
    }
  | { readonly kind: 'alter table'; readonly table: TableTarget; readonly action: AlterAction }
  | {
      readonly kind: 'optimize'
      readonly table: TableTarget
      readonly full: boolean
      readonly where?: Expression
      readonly zorderBy: readonly ColumnPath[]
    }
  | {
      readonly kind: 'vacuum'
      readonly table: TableTarget
      readonly type: 'full' | 'lite' | undefined
      readonly retainHours?: number
      readonly inventory?: TableTarget | QueryText
      readonly dryRun: boolean
    }
  | { readonly kind: 'restore'; readonly table: TableTarget; readonly to: TimeTravel }
  | {
      readonly kind: 'reorg'
      readonly table: TableTarget
      readonly where?: Expression
      readonly apply: { readonly kind: 'purge' } | { readonly kind: 'upgrade uniform'; readonly icebergVersion: number }
    }
  | {
      readonly kind: 'convert'
      /** `parquet.`/path` ``, or a name */
      readonly source: TableName
      readonly partitionedBy?: readonly StructField[]
      readonly collectStatistics: boolean
    }
  | { readonly kind: 'generate'; readonly mode: string; readonly table: TableTarget }
  | { readonly kind: 'fsck'; readonly table: TableTarget; readonly dryRun: boolean }
  | { readonly kind: 'checkpoint'; readonly table: TableTarget }
  | {
      readonly kind: 'describe table'
      readonly table: TableTarget
      readonly extended: boolean
      readonly column?: ColumnPath
    }
  | { readonly kind: 'describe detail'; readonly table: TableTarget }
  | { readonly kind: 'describe history'; readonly table: TableTarget; readonly limit?: number }
  | { readonly kind: 'describe query'; readonly query: QueryText }
  | { readonly kind: 'show tables'; readonly in?: ColumnPath; readonly pattern?: string }
  | { readonly kind: 'show properties'; readonly table: TableTarget; readonly key?: string }
  | { readonly kind: 'show columns'; readonly table: TableTarget }
  | { readonly kind: 'show partitions'; readonly table: TableTarget; readonly partition?: PartitionSpec }
  | { readonly kind: 'show create table'; readonly table: TableTarget }
  | { readonly kind: 'comment on table'; readonly table: TableTarget; readonly comment: string | null }
  | { readonly kind: 'drop table'; readonly table: TableTarget; readonly ifExists: boolean; readonly purge: boolean }
  | { readonly kind: 'truncate table'; readonly table: TableTarget; readonly partition?: PartitionSpec }
  | { readonly kind: 'explain'; readonly mode: ExplainMode; readonly statement: Statement }
  | { readonly kind: 'set'; readonly key?: string; readonly value?: string; readonly verbose?: boolean }
  | { readonly kind: 'reset'; readonly key?: string }
  /** a statement of Spark's that is not ours, by its first words; refused when it runs */
  | { readonly kind: 'foreign'; readonly words: string }

export type ExplainMode = 'simple' | 'extended' | 'codegen' | 'cost' | 'formatted'
export type StatementOf<K extends Statement['kind']> = Extract<Statement, { kind: K }>
