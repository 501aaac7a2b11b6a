/**
 * Columns as CREATE TABLE, ALTER TABLE … ADD COLUMN and CONVERT define them:
 * `name TYPE [NOT NULL] [DEFAULT expr] [GENERATED ALWAYS AS (expr) | AS IDENTITY (…)] [COMMENT 'text'] [FIRST | AFTER x]`.
 */
import { isInterval, readType } from '../../../expressions/index.ts'
import { field, type StructField, voidType } from '../../../schema/index.ts'
import type { AddedColumn, ColumnDefinition, IdentitySpec, Position, TableConstraint } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'
import { atConstraint, readConstraint } from './constraint.ts'

/** What follows the type, each at most once, in any order. */
interface Clauses {
  notNull?: true
  comment?: string
  default?: string
  generated?: string
  identity?: IdentitySpec
  position?: Position
}

type ClauseName = keyof Clauses

const TITLES: Readonly<Record<ClauseName, string>> = {
  notNull: 'NOT NULL',
  comment: 'COMMENT',
  default: 'DEFAULT',
  generated: 'GENERATED',
  identity: 'GENERATED',
  position: 'FIRST|AFTER',
}

/** A column of a new table, and the constraints that stand behind it. */
export function readColumnDefinition(reader: StatementReader): ColumnDefinition & {
  readonly constraints: readonly TableConstraint[]
} {
  const name = reader.tokens.expectName('the name of a column')
  const { definition, constraints } = readDefinition(reader, name, CREATE_CLAUSES)
  return { ...definition, constraints }
}

/** A column to be added, at any depth. */
export function readAddedColumn(reader: StatementReader): AddedColumn {
  const path = reader.column()
  const { definition, clauses } = readDefinition(reader, path.at(-1)!, ADD_CLAUSES)
  return {
    ...definition,
    parent: path.slice(0, -1),
    ...(clauses.position !== undefined && { position: clauses.position }),
  }
}

/** `name TYPE [NOT NULL] [COMMENT 'text']` */
export function readPlainColumn(reader: StatementReader): StructField {
  const name = reader.tokens.expectName('the name of a column')
  return readDefinition(reader, name, PLAIN_CLAUSES).definition.field
}

const PLAIN_CLAUSES: ReadonlySet<ClauseName> = new Set<ClauseName>(['notNull', 'comment'])
const CREATE_CLAUSES: ReadonlySet<ClauseName> = new Set<ClauseName>([
  ...['notNull', 'comment', 'default', 'generated', 'identity'],
] as ClauseName[])
const ADD_CLAUSES: ReadonlySet<ClauseName> = new Set<ClauseName>(['notNull', 'comment', 'default', 'position'])

function readDefinition(reader: StatementReader, name: string, allowed: ReadonlySet<ClauseName>) {
  const { type, metadata, foreignType } = readColumnType(reader)
  const clauses: Clauses = {}
  const constraints: TableConstraint[] = []
  for (;;) {
    if (allowed === CREATE_CLAUSES && atConstraint(reader)) {
      constraints.push(readConstraint(reader))
      continue
    }
    const clause = clauseAt(reader)
    if (clause === undefined || !allowed.has(clause)) break
    readClause(reader, { clause, clauses, name })
  }
  const { notNull, comment, default: text, generated, identity } = clauses
  const definition: ColumnDefinition = {
    field: field(name, type, notNull !== true, { ...metadata, ...(comment !== undefined && { comment }) }),
    ...(foreignType !== undefined && { foreignType }),
    ...(text !== undefined && { default: text }),
    ...(generated !== undefined && { generated }),
    ...(identity !== undefined && { identity }),
  }
  return { definition, clauses, constraints }
}

/** A type, with what the log keeps beside it; `foreignType` where it is one that no table of ours has. */
export function readColumnType({ tokens }: StatementReader) {
  const { start } = tokens.peek()
  const before = tokens.foreign.length
  const { type, charText } = readType(tokens)
  const metadata = charText === undefined ? {} : { __CHAR_VARCHAR_TYPE_STRING: charText }
  if (!isInterval(type) && tokens.foreign.length === before) return { type, metadata }
  return { type: isInterval(type) ? voidType : type, metadata, foreignType: tokens.text.slice(start, tokens.end) }
}

function clauseAt({ tokens }: StatementReader): ClauseName | undefined {
  if (tokens.atWord('NOT')) return 'notNull'
  if (tokens.atWord('COMMENT')) return 'comment'
  if (tokens.atWord('DEFAULT')) return 'default'
  if (tokens.atWord('GENERATED')) {
    return tokens.atWord('IDENTITY', 3) || tokens.atWord('IDENTITY', 4) ? 'identity' : 'generated'
  }
  return tokens.atWord('FIRST') || tokens.atWord('AFTER') ? 'position' : undefined
}

function readClause(
  reader: StatementReader,
  { clause, clauses, name }: { clause: ClauseName; clauses: Clauses; name: string },
): void {
  const { tokens } = reader
  const { start } = tokens.peek()
  if (clauses[clause] !== undefined) {
    throw reader.error(start, 'ALTER_TABLE_COLUMN_DESCRIPTOR_DUPLICATE', { clause: TITLES[clause], name })
  }
  if (clause === 'position') clauses.position = readPosition(reader)
  else if (clause === 'notNull') {
    tokens.expectWords('NOT', 'NULL')
    clauses.notNull = true
  } else if (clause === 'comment') {
    tokens.expectWord('COMMENT')
    clauses.comment = reader.string('the comment')
  } else if (clause === 'default') {
    tokens.expectWord('DEFAULT')
    clauses.default = reader.keptExpression('DEFAULT').text
  } else if (clause === 'generated') clauses.generated = readGenerated(reader)
  else clauses.identity = readIdentity(reader, name)
}

export function readPosition({ tokens }: StatementReader): Position {
  if (tokens.takeWord('FIRST')) return 'first'
  tokens.expectWord('AFTER')
  return { after: tokens.expectName('the name of a column') }
}

function readGenerated(reader: StatementReader): string {
  reader.tokens.expectWords('GENERATED', 'ALWAYS', 'AS')
  reader.tokens.expectOperator('(')
  const { text } = reader.keptExpression('GENERATED ALWAYS AS')
  reader.tokens.expectOperator(')')
  return text
}

function readIdentity(reader: StatementReader, column: string): IdentitySpec {
  const { tokens } = reader
  tokens.expectWord('GENERATED')
  const always = tokens.takeWord('ALWAYS')
  if (!always) tokens.expectWords('BY', 'DEFAULT')
  tokens.expectWords('AS', 'IDENTITY')
  let start = 1n
  let step = 1n
  const open = tokens.peek().start
  if (tokens.takeOperator('(')) {
    for (let i = 0; i < 2; i++) {
      if (tokens.takeWords('START', 'WITH')) start = readWhole(reader)
      else if (tokens.takeWords('INCREMENT', 'BY')) step = readWhole(reader)
      tokens.takeOperator(',')
    }
    tokens.expectOperator(')')
  }
  if (step === 0n) throw reader.error(open, 'IDENTITY_COLUMNS_ILLEGAL_STEP', { column })
  return { always, start, step }
}

function readWhole({ tokens }: StatementReader): bigint {
  const negative = tokens.takeOperator('-')
  const token = tokens.peek()
  const digits = /^(\d{1,19})L?$/i.exec(token.kind === 'number' ? token.text : '')
  if (digits === null) throw tokens.unexpected('a whole number')
  tokens.next()
  return BigInt(digits[1]!) * (negative ? -1n : 1n)
}
