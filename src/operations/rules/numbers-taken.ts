/** What a write that gave out identity numbers says about it in its commit, and what it does where another was faster. */
import type { WritePlan } from '../../engine/index.ts'
import { type Metadata, type Transaction, withoutIdentityMarks } from '../../kernel/index.ts'
import { parseSchema, printSchema, type StructType } from '../../schema/index.ts'
import { printJson } from '../../support/index.ts'
import { identityColumns, laterNumber, nextNumber, withMarks } from './identity.ts'

/** commitInfo's tag of a commit that moves a mark. */
const IDENTITY_TAGS = { 'delta.identity.schemaUpdate': 'true' } as const

/** Identity numbers that a write gave out, by ordinal of the column. */
export interface NumbersTaken {
  readonly first: ReadonlyMap<number, bigint>
  readonly last: ReadonlyMap<number, bigint>
  /** whether rows of the write brought numbers of their own, so that those given out cannot be told from them */
  readonly mixed: boolean
}

export const NO_NUMBERS: NumbersTaken = { first: new Map(), last: new Map(), mixed: false }

/** The numbers an engine gave out for the rows of a plan. */
export function numbersOfPlan({ numbered = [] }: Pick<WritePlan, 'numbered'>, numRows: number): NumbersTaken {
  if (numRows === 0 || numbered.length === 0) return NO_NUMBERS
  return {
    first: new Map(numbered.map(({ ordinal, start }) => [ordinal, start])),
    last: new Map(numbered.map(({ ordinal, start, step }) => [ordinal, start + step * BigInt(numRows - 1)])),
    mixed: false,
  }
}

/** The transaction with the marks of its identity columns moved to the last numbers given out; a mark never goes back. */
export function takeNumbers(transaction: Transaction, { last }: NumbersTaken): Transaction {
  if (last.size === 0) return transaction
  const { schema, metadata } = transaction
  const marks = identityColumns(schema).flatMap(({ ordinal, mark, step }) => {
    const taken = last.get(ordinal)
    return taken === undefined ? [] : [[ordinal, laterNumber(mark, taken, step)] as const]
  })
  const schemaString = printSchema(withMarks(schema, new Map(marks)))
  return transaction.setMetadata({ ...metadata, schemaString }).setTags(IDENTITY_TAGS)
}

/** Whether two metadata differ in nothing but the marks of identity columns. */
export function differInMarksOnly(before: Metadata, after: Metadata): boolean {
  return markless(before) === markless(after)
}

function markless({ schemaString, configuration, format, extra = {}, ...rest }: Metadata): string {
  const schema = schemaString === undefined ? '' : printSchema(withoutIdentityMarks(parseSchema(schemaString)))
  const properties = [...configuration].map(([key, value]) => `${key}=${value}`).sort()
  return printJson({
    ...rest,
    schema,
    properties,
    provider: format.provider,
    options: [...format.options].flat(),
    extra,
  })
}

/** How far the numbers of a write must move to lie behind the marks of a newer schema, by ordinal. */
export function shiftOf(schema: StructType, { first }: NumbersTaken): ReadonlyMap<number, bigint> {
  const columns = identityColumns(schema).filter(({ ordinal }) => first.has(ordinal))
  return new Map(columns.map((column) => [column.ordinal, nextNumber(column) - first.get(column.ordinal)!]))
}

/** The same numbers, moved. */
export function shifted({ first, last, mixed }: NumbersTaken, shift: ReadonlyMap<number, bigint>): NumbersTaken {
  const move = (numbers: ReadonlyMap<number, bigint>) =>
    new Map([...numbers].map(([ordinal, number]) => [ordinal, number + (shift.get(ordinal) ?? 0n)]))
  return { first: move(first), last: move(last), mixed }
}
