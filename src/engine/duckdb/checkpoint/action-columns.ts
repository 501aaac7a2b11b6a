/**
 * The columns of a checkpoint: what each action is written as, and how any older shape is read as that.
 *
 * DuckDB reads two-level lists and maps with other group names as what they are, so a file's shape differs from the
 * wanted one only by members it lacks or has besides. Source: Delta protocol, "Checkpoint Schema".
 */
import type { DuckDBStructType, DuckDBType } from '@duckdb/node-api'
import type { ActionKind } from '../../../kernel/index.ts'
import { quoteIdent, quoteLiteral } from '../sql-text.ts'

const MAP = 'MAP(VARCHAR, VARCHAR)'
const VECTOR =
  'STRUCT("storageType" VARCHAR, "pathOrInlineDv" VARCHAR, "offset" INTEGER, "sizeInBytes" INTEGER, "cardinality" BIGINT)'

type Members = readonly (readonly [name: string, type: string])[]

/** Kinds that stand in a checkpoint, with their members in the order they are written. */
export const actionColumns = {
  txn: [
    ['appId', 'VARCHAR'],
    ['version', 'BIGINT'],
    ['lastUpdated', 'BIGINT'],
  ],
  add: [
    ['path', 'VARCHAR'],
    ['partitionValues', MAP],
    ['size', 'BIGINT'],
    ['modificationTime', 'BIGINT'],
    ['dataChange', 'BOOLEAN'],
    ['stats', 'VARCHAR'],
    ['tags', MAP],
    ['deletionVector', VECTOR],
    ['baseRowId', 'BIGINT'],
    ['defaultRowCommitVersion', 'BIGINT'],
    ['clusteringProvider', 'VARCHAR'],
  ],
  remove: [
    ['path', 'VARCHAR'],
    ['deletionTimestamp', 'BIGINT'],
    ['dataChange', 'BOOLEAN'],
    ['extendedFileMetadata', 'BOOLEAN'],
    ['partitionValues', MAP],
    ['size', 'BIGINT'],
    ['deletionVector', VECTOR],
    ['baseRowId', 'BIGINT'],
    ['defaultRowCommitVersion', 'BIGINT'],
  ],
  metaData: [
    ['id', 'VARCHAR'],
    ['name', 'VARCHAR'],
    ['description', 'VARCHAR'],
    ['format', `STRUCT("provider" VARCHAR, "options" ${MAP})`],
    ['schemaString', 'VARCHAR'],
    ['partitionColumns', 'VARCHAR[]'],
    ['createdTime', 'BIGINT'],
    ['configuration', MAP],
  ],
  protocol: [
    ['minReaderVersion', 'INTEGER'],
    ['minWriterVersion', 'INTEGER'],
    ['readerFeatures', 'VARCHAR[]'],
    ['writerFeatures', 'VARCHAR[]'],
  ],
  domainMetadata: [
    ['domain', 'VARCHAR'],
    ['configuration', 'VARCHAR'],
    ['removed', 'BOOLEAN'],
  ],
  checkpointMetadata: [
    ['version', 'BIGINT'],
    ['tags', MAP],
  ],
  sidecar: [
    ['path', 'VARCHAR'],
    ['sizeInBytes', 'BIGINT'],
    ['modificationTime', 'BIGINT'],
    ['tags', MAP],
  ],
} as const satisfies Partial<Record<ActionKind, Members>>

export type CheckpointKind = keyof typeof actionColumns

export function isCheckpointKind(kind: string): kind is CheckpointKind {
  return Object.hasOwn(actionColumns, kind)
}

/** The SQL type of an action's column, as it is written. */
export function actionType(kind: CheckpointKind): string {
  return `STRUCT(${actionColumns[kind].map(([name, type]) => `${quoteIdent(name)} ${type}`).join(', ')})`
}

const PARSED_PARTITION = 'partitionValues_parsed'

/** The member without which a struct is taken as null: some writers fill a null struct with nulls. */
const REQUIRED: Record<CheckpointKind, string> = {
  txn: 'appId',
  add: 'path',
  remove: 'path',
  metaData: 'schemaString',
  protocol: 'minReaderVersion',
  domainMetadata: 'domain',
  checkpointMetadata: 'version',
  sidecar: 'path',
}

/** An action's column in one file: its members, and SQL for each in the type it is meant to have. */
export class ActionColumn {
  readonly kind: CheckpointKind
  private readonly struct: DuckDBStructType

  constructor(kind: CheckpointKind, struct: DuckDBStructType) {
    this.kind = kind
    this.struct = struct
  }

  has(member: string): boolean {
    return this.struct.entryNames.includes(member)
  }

  /** Whether a row holds this action. */
  get isPresent(): string {
    if (this.kind === 'metaData')
      return this.has('id') ? this.raw('id', 'IS NOT NULL') : this.raw('schemaString', 'IS NOT NULL')
    return this.has(REQUIRED[this.kind]) ? this.raw(REQUIRED[this.kind], 'IS NOT NULL') : 'false'
  }

  /** The leaf of the file whose values tell where this action is, as Parquet's metadata spells it. */
  get presenceLeaf(): string {
    const member = this.kind === 'metaData' && this.has('id') ? 'id' : REQUIRED[this.kind]
    return `${this.kind}, ${member}`
  }

  /** A member in its meant type; NULL of that type where the file lacks it. */
  member(name: string): string {
    const type = (actionColumns[this.kind] as Members).find(([known]) => known === name)?.[1] ?? 'VARCHAR'
    if (name === 'stats') return this.statistics()
    if (name === 'partitionValues' && !this.has(name)) return this.typedPartition()
    if (!this.has(name)) return `NULL::${type}`
    if (name === 'deletionVector') return this.vector()
    return `${this.raw(name)}::${type}`
  }

  /** The action as JSON text, with the members this package knows. */
  get json(): string {
    const members = (actionColumns[this.kind] as Members).filter(
      ([name]) => this.has(name) || (name === 'partitionValues' && this.has(PARSED_PARTITION)),
    )
    const packed = members.map(([name]) => `${quoteIdent(name)} := ${this.member(name)}`)
    const stats = this.kind === 'add' && !this.has('stats') && this.has('stats_parsed')
    return `to_json(struct_pack(${[...packed, ...(stats ? [`"stats" := ${this.statistics()}`] : [])].join(', ')}))`
  }

  /** The identity of the deletion vector, as the kernel's replay key spells it. */
  get vectorId(): string {
    if (!this.has('deletionVector')) return 'NULL::VARCHAR'
    const part = (name: string) => this.raw('deletionVector', `.${quoteIdent(name)}`)
    const offset = this.vectorNames().includes('offset') ? `coalesce('@' || ${part('offset')}, '')` : "''"
    return `(${part('storageType')} || ${part('pathOrInlineDv')} || ${offset})`
  }

  /** The partition from its typed form, for writers that keep only that: the protocol wants the texts. */
  private typedPartition(): string {
    const type = this.struct.entryTypes[this.struct.entryNames.indexOf(PARSED_PARTITION)] as
      | DuckDBStructType
      | undefined
    if (type === undefined) return `NULL::${MAP}`
    const texts = type.entryNames.map((name, i) => {
      return partitionText(this.raw(PARSED_PARTITION, `.${quoteIdent(name)}`), type.entryTypes[i]!)
    })
    const names = type.entryNames.map((name) => quoteLiteral(name))
    return `CASE WHEN ${this.raw(PARSED_PARTITION, 'IS NOT NULL')} THEN MAP([${names.join(', ')}], [${texts.join(', ')}]) END`
  }

  private vector(): string {
    const names = this.vectorNames()
    const members = ['storageType', 'pathOrInlineDv', 'offset', 'sizeInBytes', 'cardinality']
      .filter((name) => names.includes(name))
      .map((name) => `${quoteIdent(name)} := ${this.raw('deletionVector', `.${quoteIdent(name)}`)}`)
    const isThere = this.raw('deletionVector', '."storageType" IS NOT NULL')
    return `CASE WHEN ${isThere} THEN struct_pack(${members.join(', ')}) END`
  }

  private vectorNames(): readonly string[] {
    const type = this.struct.entryTypes[this.struct.entryNames.indexOf('deletionVector')]
    return type === undefined ? [] : (type as DuckDBStructType).entryNames
  }

  /** The statistics' text, or, where a writer kept only the typed form, that form as the text would be. */
  private statistics(): string {
    const parsed = this.struct.entryTypes[this.struct.entryNames.indexOf('stats_parsed')]
    const fromParsed =
      parsed === undefined
        ? 'NULL::VARCHAR'
        : `CASE WHEN ${this.raw('stats_parsed', 'IS NOT NULL')} THEN to_json(${jsonReady(this.raw('stats_parsed'), parsed)})::VARCHAR END`
    if (!this.has('stats')) return fromParsed
    return parsed === undefined
      ? `${this.raw('stats')}::VARCHAR`
      : `coalesce(${this.raw('stats')}::VARCHAR, ${fromParsed})`
  }

  private raw(member: string, rest = ''): string {
    const space = rest === '' || rest.startsWith('.') ? '' : ' '
    return `${quoteIdent(this.kind)}.${quoteIdent(member)}${space}${rest}`
  }
}

/** A typed value as the text of a partition. Source: Delta protocol, "Partition Value Serialization". */
function partitionText(value: string, type: DuckDBType): string {
  const name = type.toString()
  if (/^TIMESTAMP/.test(name)) {
    return `strftime(${value}, '${name.includes('TIME ZONE') ? '%Y-%m-%dT%H:%M:%S.%fZ' : '%Y-%m-%d %H:%M:%S.%f'}')`
  }
  if (name === 'FLOAT' || name === 'DOUBLE') {
    const infinite = `if(${value} > 0, 'Infinity', '-Infinity')`
    return `CASE WHEN isnan(${value}) THEN 'NaN' WHEN isinf(${value}) THEN ${infinite} ELSE ${value}::VARCHAR END`
  }
  return name === 'BLOB' ? `decode(${value})` : `${value}::VARCHAR`
}

/** Timestamps as the texts statistics have; everything else prints as JSON the way it should. */
function jsonReady(expression: string, type: DuckDBType): string {
  const name = type.toString()
  if (/^TIMESTAMP/.test(name)) {
    const zone = name.includes('TIME ZONE') ? 'Z' : ''
    return `strftime(${expression}, '%Y-%m-%dT%H:%M:%S.%f${zone}')`
  }
  if (!/^STRUCT/.test(name)) return expression
  const struct = type as DuckDBStructType
  if (!/TIMESTAMP/.test(name)) return expression
  const members = struct.entryNames.map(
    (member, i) =>
      `${quoteIdent(member)} := ${jsonReady(`${expression}.${quoteIdent(member)}`, struct.entryTypes[i]!)}`,
  )
  return `CASE WHEN ${expression} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`
}
