/** The rows of a VALUES list as a source of a write: every column with the type its expressions have in common. */
import { isDeltaError } from '../../src/errors/index.ts'
import { bindExpression, type Expression, evaluate } from '../../src/expressions/index.ts'
import type { WriteSource } from '../../src/operations/index.ts'
import { type ArrayType, field, type Row, structType, type Value } from '../../src/schema/index.ts'
import type { ValuesList } from '../../src/sql/parser/index.ts'

const span = { start: 0, end: 0 }

/** @returns undefined where a value is the word DEFAULT, or an expression that is not this package's */
export function valuesSource({ rows }: ValuesList): WriteSource | undefined {
  const [first] = rows
  if (first === undefined || rows.some((row) => row.includes('default'))) return undefined
  const columns = columnsOf(rows as readonly (readonly Expression[])[])
  if (columns === undefined) return undefined
  const schema = structType(columns.map(({ type }, at) => field(`col${at + 1}`, type)))
  const page = rows.map((_, at): Row => columns.map(({ values }) => values[at]!))
  const source = (async function* () {
    yield page
  })()
  return { kind: 'rows', schema, source: { kind: 'rows', schema, rows: source } }
}

function columnsOf(rows: readonly (readonly Expression[])[]) {
  try {
    return rows[0]!.map((_, at) => columnOf(rows.map((row) => row[at]!)))
  } catch (error) {
    if (isDeltaError(error, 'LAKE_EXPRESSION_UNSUPPORTED')) return undefined
    throw error
  }
}

function columnOf(args: readonly Expression[]) {
  const bound = bindExpression({ kind: 'call', name: 'array', args, span }, structType([]))
  return { type: (bound.type as ArrayType).element, values: evaluate(bound, []) as readonly Value[] }
}
