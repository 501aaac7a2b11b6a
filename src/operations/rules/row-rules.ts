/**
 * What a table asks of the rows written to it, in one place for every operation that writes rows.
 *
 * `rowRules` reads a table's schema and properties once; `planRules` says what of it an engine has to do for rows that
 * bring some of the columns. Operations that change rows take single values from it: DEFAULT, generated columns.
 */
import type { RowCheck, WritePlan } from '../../engine/index.ts'
import { deltaError } from '../../errors/index.ts'
import type { BoundExpression } from '../../expressions/index.ts'
import type { TableLayout } from '../../kernel/index.ts'
import type { StructField, StructType } from '../../schema/index.ts'
import { defaultOf, defaultValue, generatedValue, generationOf } from './column-values.ts'
import { type IdentityColumn, identityColumns, nextNumber } from './identity.ts'
import { generatedCheck, tableChecks } from './row-checks.ts'

/** A table as its metadata describes it; a snapshot or a transaction gives both. */
export interface RuledTable {
  readonly layout: TableLayout
  readonly metadata: { readonly configuration: ReadonlyMap<string, string> }
}

/** A column whose value hangs on other columns of its row. */
export interface GeneratedColumn {
  /** top-level, in the table's schema */
  readonly ordinal: number
  /** of the column's type, bound to the table's schema */
  readonly value: BoundExpression
  /** that a value given is the one generated */
  readonly check: RowCheck
}

export interface RowRules {
  readonly layout: TableLayout
  /** asked of every row written: CHECK constraints, invariants, declared lengths; generated columns are apart */
  readonly checks: readonly RowCheck[]
  readonly generated: readonly GeneratedColumn[]
  readonly identities: readonly IdentityColumn[]
  /** of the columns that have one, by ordinal: constants of the column's type */
  readonly defaults: ReadonlyMap<number, BoundExpression>
}

/**
 * The rules of a table.
 *
 * @param nowMs the time of the statement, for defaults that ask for it
 * @throws DeltaError `LAKE_CONSTRAINT_UNSUPPORTED` for an expression of the table that this package does not evaluate
 * exactly, `LAKE_CHAR_VARCHAR_WRITE_UNSUPPORTED`, `DELTA_INVALID_INVARIANT`, `DELTA_INVALID_SCHEMA`
 */
export function rowRules({ layout, metadata }: RuledTable, nowMs: number): RowRules {
  const { schema } = layout
  const place = { schema, nowMs }
  const generated = schema.fields.flatMap((field, ordinal) => {
    const text = generationOf(field)
    if (text === undefined) return []
    return [{ ordinal, value: generatedValue(field, text, place), check: generatedCheck(field, text, place) }]
  })
  const withDefault = [...schema.fields.entries()].filter(([, field]) => defaultOf(field) !== undefined)
  return {
    layout,
    checks: tableChecks(metadata.configuration, place),
    generated,
    identities: identityColumns(schema),
    defaults: new Map(withDefault.map(([ordinal, field]) => [ordinal, defaultValue(field, nowMs)])),
  }
}

/** Ordinals of the top-level columns that get a value where a row brings none: generated, identity, with a default. */
export function fillableColumns(schema: StructType): ReadonlySet<number> {
  const isFilled = (field: StructField) => generationOf(field) !== undefined || defaultOf(field) !== undefined
  const filled = [...schema.fields.entries()].filter(([, field]) => isFilled(field)).map(([ordinal]) => ordinal)
  return new Set([...filled, ...identityColumns(schema).map(({ ordinal }) => ordinal)])
}

/**
 * What an engine does to rows that bring some of a table's columns: it fills the others and checks what comes out.
 *
 * @param given ordinals of the top-level columns that the rows bring
 * @throws DeltaError `DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED`
 */
export function planRules(
  rules: RowRules,
  given: ReadonlySet<number>,
): Required<Pick<WritePlan, 'checks' | 'computed' | 'numbered'>> {
  refuseExplicit(rules, given)
  const { generated, identities, defaults } = rules
  const missing = generated.filter(({ ordinal }) => !given.has(ordinal))
  const brought = generated.filter(({ ordinal }) => given.has(ordinal))
  const defaulted = [...defaults].filter(([ordinal]) => !given.has(ordinal))
  return {
    checks: [...rules.checks, ...brought.map(({ check }) => check)],
    computed: [
      ...defaulted.map(([ordinal, value]) => ({ ordinal, value })),
      ...missing.map(({ ordinal, value }) => ({ ordinal, value })),
    ],
    numbered: identities
      .filter(({ ordinal }) => !given.has(ordinal))
      .map((column) => ({ ordinal: column.ordinal, start: nextNumber(column), step: column.step })),
  }
}

/**
 * Refuses numbers that rows bring for columns whose numbers the table gives out.
 *
 * @param given ordinals of columns
 * @throws DeltaError `DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED`
 */
export function refuseExplicit({ identities, layout }: RowRules, given: ReadonlySet<number>): void {
  const refused = identities.find(({ ordinal, allowsExplicit }) => !allowsExplicit && given.has(ordinal))
  if (refused === undefined) return
  throw explicitIdentity(layout.schema.fields[refused.ordinal]!)
}

export function explicitIdentity({ name }: StructField): Error {
  return deltaError('DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED', { column: name })
}

/**
 * The value that the keyword DEFAULT stands for in an assignment to a column, and that an INSERT gives a column it
 * leaves out: a constant of the column's type, NULL where the column has no default.
 */
export function valueOfDefault(rules: RowRules, ordinal: number): BoundExpression {
  const { type } = rules.layout.schema.fields[ordinal]!
  return rules.defaults.get(ordinal) ?? { kind: 'literal', value: null, type }
}

/**
 * Refuses a change of an identity column.
 *
 * @throws DeltaError `DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED`
 */
export function refuseIdentityUpdate({ identities }: RowRules, ordinal: number): void {
  const column = identities.find((identity) => identity.ordinal === ordinal)
  if (column !== undefined) throw deltaError('DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED', { column: column.name })
}
