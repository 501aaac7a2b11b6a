/** What speaks of a column in SQL text: CHECK constraints and generated columns. */
import { deltaError } from '../../errors/index.ts'
import { bindExpression, columnsOf, parseExpression } from '../../expressions/index.ts'
import type { Snapshot } from '../../kernel/index.ts'
import { foldCase, type StructType } from '../../schema/index.ts'
import { checkConstraints } from '../rules/index.ts'
import { columnPathText } from '../values/index.ts'
import type { ColumnPath } from './action.ts'

/**
 * Refuses a change of a column, or of something it lies in, of which a constraint or a generated column speaks.
 *
 * @throws DeltaError `DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE`, `DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE`
 */
export function refuseDependents({ schema, configuration }: Snapshot, column: ColumnPath): void {
  const constraints = checkConstraints(configuration)
    .filter(({ sql }) => speaksOf(sql, schema, column))
    .map(({ name, sql }) => `${name} (${sql})`)
  const name = columnPathText(column)
  if (constraints.length > 0) {
    throw deltaError('DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE', { column: name, dependents: constraints })
  }
  const generated = generatedColumns(schema)
    .filter(({ expression }) => speaksOf(expression, schema, column))
    .map((dependent) => `${dependent.name} (${dependent.expression})`)
  if (generated.length > 0) {
    throw deltaError('DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE', { column: name, dependents: generated })
  }
}

function generatedColumns(schema: StructType): { name: string; expression: string }[] {
  return schema.fields.flatMap(({ name, metadata }) => {
    const expression = metadata['delta.generationExpression']
    return typeof expression === 'string' ? [{ name, expression }] : []
  })
}

/** An expression that cannot be read here may speak of any column. */
function speaksOf(expression: string, schema: StructType, column: ColumnPath): boolean {
  try {
    const bound = bindExpression(parseExpression(expression), schema)
    return columnsOf(bound).some((path) => overlaps(path, column))
  } catch {
    return true
  }
}

/** Whether one path lies in the other. */
export function overlaps(a: ColumnPath, b: ColumnPath): boolean {
  return a.slice(0, b.length).every((part, i) => foldCase(part) === foldCase(b[i]!))
}
