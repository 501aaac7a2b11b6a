/** Rows of a table on their way into another: as they are, or as computed columns. */
import { compileEvaluator } from '../../expressions/index.ts'
import { type DataType, field, type Row, type StructType, structType, type Value } from '../../schema/index.ts'
import type { EngineOptions, ScanSource } from '../index.ts'
import { scan } from './scan.ts'
import { columnOrdinals } from './scan-columns.ts'

/** The columns the rows have. */
export function copiedSchema({ plan, select }: ScanSource): StructType {
  if (select === undefined) return structType(plan.columns.map((ordinal) => plan.layout.schema.fields[ordinal]!))
  // an interval has no column type and is refused where the columns are adapted
  return structType(select.map(({ name, expression }) => field(name, expression.type as DataType)))
}

export async function* copiedRows(
  { plan, select }: ScanSource,
  options: EngineOptions,
): AsyncGenerator<readonly Row[]> {
  const inputs = select === undefined ? plan.columns : selectedOrdinals(select)
  const compute = computation({ plan, select })
  const row = new Array<Value>(plan.layout.schema.fields.length).fill(null)
  for await (const batch of scan({ ...plan, columns: inputs }, options)) {
    const columns = inputs.map((ordinal, i) => [ordinal, batch.column(i)] as const)
    yield Array.from({ length: batch.numRows }, (_, at) => {
      for (const [ordinal, column] of columns) row[ordinal] = column[at]!
      return compute(row)
    })
  }
}

function selectedOrdinals(select: NonNullable<ScanSource['select']>): readonly number[] {
  const ordinals = new Set<number>()
  for (const { expression } of select) columnOrdinals(expression, ordinals)
  return [...ordinals]
}

/** The columns of a row of the layout's schema. */
function computation({ plan, select }: Pick<ScanSource, 'plan'> & { select: ScanSource['select'] | undefined }) {
  if (select === undefined) return (row: Row): Row => plan.columns.map((ordinal) => row[ordinal]!)
  const evaluators = select.map(({ expression }) => compileEvaluator(expression))
  return (row: Row): Row => evaluators.map((evaluate) => evaluate(row))
}
