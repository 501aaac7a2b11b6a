/** Rows of records: columns that a record leaves out get their default, their generated value or the next number. */
import { deltaError } from '../../errors/index.ts'
import { compileEvaluator, evaluate } from '../../expressions/index.ts'
import type { Value } from '../../schema/index.ts'
import type { RowFiller } from '../values/index.ts'
import { type IdentityColumn, nextNumber } from './identity.ts'
import type { NumbersTaken } from './numbers-taken.ts'
import { explicitIdentity, type RowRules } from './row-rules.ts'

const MAX_LONG = 2n ** 63n - 1n
const MIN_LONG = -(2n ** 63n)

export interface RuledFiller extends RowFiller {
  /** the numbers given out to the rows filled so far */
  numbersTaken(): NumbersTaken
}

/** @returns undefined for a table that fills no column */
export function recordFiller(rules: RowRules): RuledFiller | undefined {
  const filler = new Filler(rules)
  return filler.columns.size === 0 ? undefined : filler
}

class Filler implements RuledFiller {
  readonly columns: ReadonlySet<number>
  private readonly last = new Map<number, bigint>()
  private hasOwnNumbers = false
  private readonly rules: RowRules
  private readonly constants: ReadonlyMap<number, Value>
  private readonly generated: ReadonlyMap<number, (row: readonly Value[]) => Value>

  constructor(rules: RowRules) {
    this.rules = rules
    this.constants = new Map([...rules.defaults].map(([ordinal, value]) => [ordinal, evaluate(value, [])]))
    this.generated = new Map(rules.generated.map(({ ordinal, value }) => [ordinal, compileEvaluator(value)]))
    const numbered = rules.identities.map(({ ordinal }) => ordinal)
    this.columns = new Set([...this.constants.keys(), ...this.generated.keys(), ...numbered])
  }

  fill(row: Value[], missing: readonly number[]): void {
    for (const column of this.rules.identities) this.number(row, column, missing.includes(column.ordinal))
    for (const ordinal of missing) if (this.constants.has(ordinal)) row[ordinal] = this.constants.get(ordinal)!
    for (const ordinal of missing) {
      const generate = this.generated.get(ordinal)
      if (generate !== undefined) row[ordinal] = generate(row)
    }
  }

  numbersTaken(): NumbersTaken {
    const { last, hasOwnNumbers: mixed } = this
    const numbered = this.rules.identities.filter(({ ordinal }) => last.has(ordinal))
    return { first: new Map(numbered.map((column) => [column.ordinal, nextNumber(column)])), last, mixed }
  }

  private number(row: Value[], column: IdentityColumn, isMissing: boolean): void {
    const { ordinal, step, allowsExplicit } = column
    if (!isMissing) {
      if (!allowsExplicit) throw explicitIdentity(this.rules.layout.schema.fields[ordinal]!)
      this.hasOwnNumbers = true
      return
    }
    const last = this.last.get(ordinal)
    const next = last === undefined ? nextNumber(column) : last + step
    if (next > MAX_LONG || next < MIN_LONG) {
      throw deltaError('ARITHMETIC_OVERFLOW', { operation: 'the next identity value', type: 'bigint' })
    }
    this.last.set(ordinal, next)
    row[ordinal] = next
  }
}
