/**
 * `CREATE [OR REPLACE] TABLE [IF NOT EXISTS] name (columns) USING delta PARTITIONED BY … CLUSTER BY … LOCATION …
 * TBLPROPERTIES … [AS query]`, `REPLACE TABLE …`, `CREATE TABLE … LIKE …`; CLONE is in `clone.ts`.
 */

import type {
  ColumnDefinition,
  ColumnPath,
  CreateMode,
  Properties,
  Statement,
  TableConstraint,
  TableSpec,
  TableTarget,
} from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'
import { atClone, readClone } from './clone.ts'
import { readColumnDefinition } from './column-definition.ts'
import { atConstraint, readConstraint } from './constraint.ts'

export interface NewTable {
  readonly mode: CreateMode
  readonly table: TableTarget
  readonly ifNotExists: boolean
}

/** CREATE or REPLACE taken up to and with TABLE. */
export function readCreateTable(reader: StatementReader, mode: CreateMode): Statement {
  const { tokens } = reader
  const ifNotExists = mode === 'create' && reader.ifNotExists()
  const head: NewTable = { mode, table: reader.table(), ifNotExists }
  if (atClone(reader)) return readClone(reader, head)
  if (mode === 'create' && tokens.takeWord('LIKE')) return readLike(reader, head)
  const { start } = tokens.peek()
  const elements = tokens.atOperator('(') && !isQueryInBrackets(reader) ? readElements(reader) : NO_ELEMENTS
  const clauses = readClauses(reader)
  const spec = specOf(elements, clauses)
  const query = readAsQuery(reader)
  if (query === undefined) return { kind: 'create table', ...head, spec }
  if (elements.columns.length > 0) {
    throw reader.error(start, '_LEGACY_ERROR_TEMP_0035', { what: 'columns with types beside AS SELECT' })
  }
  return { kind: 'create table', ...head, spec, as: query }
}

interface Elements {
  readonly columns: readonly ColumnDefinition[]
  readonly constraints: readonly TableConstraint[]
}

const NO_ELEMENTS: Elements = { columns: [], constraints: [] }

function isQueryInBrackets({ tokens }: StatementReader): boolean {
  return tokens.atWord('SELECT', 1) && ['*', '('].includes(tokens.peek(2).key)
}

function readElements(reader: StatementReader): Elements {
  const columns: ColumnDefinition[] = []
  const constraints: TableConstraint[] = []
  reader.bracketed(() => {
    if (atConstraint(reader)) constraints.push(readConstraint(reader))
    else {
      const { constraints: own, ...column } = readColumnDefinition(reader)
      columns.push(column)
      constraints.push(...own)
    }
  })
  return { columns, constraints }
}

/** The clauses behind the columns, each at most once. */
interface Clauses {
  provider?: string
  options?: Properties
  partitionedBy?: { readonly names: readonly string[]; readonly columns: readonly ColumnDefinition[] }
  clusterBy?: readonly ColumnPath[]
  location?: string
  comment?: string
  properties?: Properties
  readonly foreign: string[]
}

function specOf({ columns, constraints }: Elements, clauses: Clauses): TableSpec {
  const { provider, partitionedBy, clusterBy, location, comment, options, properties, foreign } = clauses
  return {
    columns: [...columns, ...(partitionedBy?.columns ?? [])],
    constraints,
    options: options ?? new Map(),
    partitionedBy: partitionedBy?.names ?? [],
    properties: properties ?? new Map(),
    foreignClauses: foreign,
    ...(provider !== undefined && { provider }),
    ...(clusterBy !== undefined && { clusterBy }),
    ...(location !== undefined && { location }),
    ...(comment !== undefined && { comment }),
  }
}

function readClauses(reader: StatementReader): Clauses {
  const { tokens } = reader
  const clauses: Clauses = { foreign: [] }
  if (tokens.takeWord('USING')) clauses.provider = reader.parts('the name of a format').join('.')
  for (;;) {
    const { start } = tokens.peek()
    const once = <K extends keyof Clauses>(key: K, words: string, read: () => Clauses[K]): void => {
      if (clauses[key] !== undefined) throw reader.error(start, 'DUPLICATE_CLAUSES', { clause: words })
      clauses[key] = read()
    }
    if (tokens.takeWord('OPTIONS')) once('options', 'OPTIONS', () => reader.properties())
    else if (tokens.takeWords('PARTITIONED', 'BY'))
      once('partitionedBy', 'PARTITIONED BY', () => readPartitions(reader))
    else if (tokens.takeWords('CLUSTER', 'BY')) once('clusterBy', 'CLUSTER BY', () => readClusterBy(reader))
    else if (tokens.takeWord('LOCATION')) once('location', 'LOCATION', () => reader.string('a path'))
    else if (tokens.takeWord('COMMENT')) once('comment', 'COMMENT', () => reader.string('the comment'))
    else if (tokens.takeWord('TBLPROPERTIES')) once('properties', 'TBLPROPERTIES', () => reader.tableProperties())
    else if (!readForeignClause(reader, clauses.foreign)) return clauses
  }
}

function readClusterBy(reader: StatementReader): readonly ColumnPath[] {
  if (reader.tokens.takeWord('NONE')) return []
  return reader.columns()
}

/** Names, columns with a type, or transforms. */
function readPartitions(reader: StatementReader) {
  const columns: ColumnDefinition[] = []
  const names = reader.bracketed(() => {
    const { tokens } = reader
    const { start } = tokens.peek()
    const next = tokens.peek(1)
    if (next.kind === 'word' || next.kind === 'name') {
      const { constraints: _, ...column } = readColumnDefinition(reader)
      columns.push(column)
      return column.field.name
    }
    const path = reader.column()
    if (path.length === 1 && !tokens.atOperator('(')) return path[0]!
    if (tokens.takeOperator('(')) {
      reader.list(() => reader.expression())
      tokens.expectOperator(')')
    }
    return reader.textFrom(start)
  })
  return { names, columns }
}

/** Clauses that Spark has for other formats. */
function readForeignClause(reader: StatementReader, found: string[]): boolean {
  const { tokens } = reader
  const { start } = tokens.peek()
  if (tokens.takeWords('STORED', 'AS')) {
    tokens.expectName('the name of a format')
  } else if (tokens.takeWords('CLUSTERED', 'BY')) {
    reader.columns()
    if (tokens.takeWords('SORTED', 'BY')) readSortedBy(reader)
    tokens.expectWord('INTO')
    tokens.expectInteger('the number of buckets')
    tokens.expectWord('BUCKETS')
  } else if (tokens.takeWords('DEFAULT', 'COLLATION')) tokens.expectName('the name of a collation')
  else return false
  found.push(reader.textFrom(start))
  return true
}

function readSortedBy(reader: StatementReader): void {
  const { tokens } = reader
  reader.bracketed(() => {
    reader.column()
    const { start } = tokens.peek()
    if (tokens.takeWord('DESC')) throw reader.error(start, '_LEGACY_ERROR_TEMP_0035', { what: 'SORTED BY … DESC' })
    tokens.takeWord('ASC')
  })
}

function readAsQuery(reader: StatementReader) {
  if (reader.tokens.takeWord('AS')) return reader.queryToEnd()
  return reader.atQuery() ? reader.queryToEnd() : undefined
}

function readLike(reader: StatementReader, { table, ifNotExists }: NewTable): Statement {
  const source = readShortName(reader)
  const { provider, location, properties } = readLikeClauses(reader)
  const spec = {
    properties: properties ?? new Map<string, string>(),
    ...(provider !== undefined && { provider }),
    ...(location !== undefined && { location }),
  }
  return { kind: 'create table like', table, source, ifNotExists, spec }
}

/** `[schema.]table` */
function readShortName(reader: StatementReader): TableTarget {
  const { tokens } = reader
  const { start } = tokens.peek()
  const parts = [tokens.expectName('the name of a table')]
  if (tokens.takeOperator('.')) parts.push(tokens.expectName('the name of a table'))
  return { parts, isPath: false, span: { start, end: tokens.end } }
}

function readLikeClauses(reader: StatementReader) {
  const { tokens } = reader
  const found: { provider?: string; location?: string; properties?: Properties } = {}
  for (;;) {
    if (tokens.takeWord('USING')) found.provider = tokens.expectName('the name of a format')
    else if (tokens.takeWord('LOCATION')) found.location = reader.string('a path')
    else if (tokens.takeWord('TBLPROPERTIES')) found.properties = reader.tableProperties()
    else return found
  }
}
