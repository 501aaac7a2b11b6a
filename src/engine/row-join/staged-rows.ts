/**
 * The join of a source with a table, row by row in TypeScript, over nothing but the `scan` and `write` of an engine.
 *
 * The source is in memory, and so is what actions need of the rows they apply to. Small tables, and expressions that an
 * engine's own language does not have.
 */
import { type BoundExpression, compileEvaluator } from '../../expressions/index.ts'
import { compareValues } from '../../kernel/index.ts'
import type { DataType, Row, StructType, Value } from '../../schema/index.ts'
import type { Engine, EngineOptions } from '../engine.ts'
import { type JoinedRows, type JoinPlan, type KeySummary, MAX_LISTED_KEYS, type StagedRows } from '../join.ts'
import { joinRows } from './join-rows.ts'

/** What rows are read and written with. */
export type RowAccess = Pick<Engine, 'scan' | 'write'>

/** Takes in rows that are values already. */
export async function stageRows(
  access: RowAccess,
  schema: StructType,
  pages: AsyncIterable<readonly Row[]>,
): Promise<StagedRows> {
  const rows: Row[] = []
  for await (const page of pages) for (const row of page) rows.push(row)
  return {
    schema,
    numRows: rows.length,
    summarize: async (keys, where) => summarizeRows(rows, keys, where),
    join: (plan: JoinPlan, options?: EngineOptions): Promise<JoinedRows> =>
      joinRows({ access, source: { schema, rows }, plan }, options),
    close: async () => {
      rows.length = 0
    },
  }
}

function summarizeRows(
  rows: readonly Row[],
  keys: readonly BoundExpression[],
  where: BoundExpression | undefined,
): readonly KeySummary[] {
  const matches = where && compileEvaluator(where)
  const counted = matches === undefined ? rows : rows.filter((row) => matches(row) === true)
  return keys.map((key) => {
    const keyOf = compileEvaluator(key)
    return summaryOf(
      counted.map((row) => keyOf(row)),
      key.type as DataType,
    )
  })
}

type NotNull = Exclude<Value, null>

function summaryOf(values: readonly Value[], type: DataType): KeySummary {
  const compare = (a: NotNull, b: NotNull) => compareValues(a, b, type) ?? 0
  const sorted = values.filter((value): value is NotNull => value !== null).sort(compare)
  const distinct = sorted.filter((value, i) => i === 0 || compare(sorted[i - 1]!, value) !== 0)
  return {
    hasNull: sorted.length < values.length,
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
    ...(distinct.length <= MAX_LISTED_KEYS && { values: distinct }),
  }
}
