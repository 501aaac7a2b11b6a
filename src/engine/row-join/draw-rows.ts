/** Rows drawn from a join, as values in the columns of a layout. */
import { type BoundExpression, compileEvaluator } from '../../expressions/index.ts'
import { type ScanFile, withHiddenColumns } from '../../kernel/index.ts'
import type { Row, Value } from '../../schema/index.ts'
import type { EngineOptions } from '../engine.ts'
import type { RowDraw } from '../join.ts'
import type { JoinTask } from './join-rows.ts'
import { columnOrdinals } from './row-keys.ts'

/** A row on which an action applies; a row of the source alone has no place in the table. */
export interface ActedRow {
  readonly action: number
  readonly joint: Row
  readonly file?: number
  readonly position?: number
}

const PAGE_ROWS = 2048

/** Rows in the columns of each draw, page by page. */
export async function* drawnRows(
  task: JoinTask,
  acted: readonly ActedRow[],
  draws: readonly RowDraw[],
  options: EngineOptions,
): AsyncGenerator<readonly Row[]> {
  for (const draw of draws) {
    const evaluators = draw.columns.map(compileEvaluator)
    const joints =
      draw.kind === 'acted'
        ? actedPages(acted, draw.action)
        : untouchedPages(task, acted, { files: draw.files, columns: draw.columns }, options)
    for await (const page of joints) yield page.map((joint) => evaluators.map((evaluate) => evaluate(joint)))
  }
}

function* actedPages(acted: readonly ActedRow[], action: number): Generator<readonly Row[]> {
  const rows = acted.filter((row) => row.action === action)
  for (let from = 0; from < rows.length; from += PAGE_ROWS) {
    yield rows.slice(from, from + PAGE_ROWS).map(({ joint }) => joint)
  }
}

async function* untouchedPages(
  { access, plan, source }: JoinTask,
  acted: readonly ActedRow[],
  draw: { readonly files: readonly ScanFile[]; readonly columns: readonly BoundExpression[] },
  options: EngineOptions,
): AsyncGenerator<readonly Row[]> {
  const width = plan.layout.schema.fields.length
  const touched = new Set(acted.map(({ file, position }) => `${file} ${position}`))
  const numbers = draw.files.map((file) => plan.files.indexOf(file))
  const read = withHiddenColumns(plan.layout, ['file_index', 'row_index'])
  const inputs = [...new Set(draw.columns.flatMap(columnOrdinals))].filter((ordinal) => ordinal < width)
  const columns = [...inputs, width, width + 1]
  for await (const batch of access.scan({ store: plan.store, layout: read, files: draw.files, columns }, options)) {
    const values = columns.map((_, i) => batch.column(i))
    const [places, positions] = [values.at(-2)!, values.at(-1)!]
    const page: Row[] = []
    for (let at = 0; at < batch.numRows; at++) {
      if (touched.has(`${numbers[Number(places[at])]} ${positions[at]}`)) continue
      const joint = new Array<Value>(width + source.schema.fields.length).fill(null)
      for (const [i, ordinal] of inputs.entries()) joint[ordinal] = values[i]![at]!
      page.push(joint)
    }
    yield page
  }
}
