/**
 * Aligned tables for people: a line of names, then a line a row, two spaces between columns.
 *
 * On a terminal the widest columns are cut until a line fits, with `…` where text was left out; elsewhere every cell is
 * whole.
 */
import { type Output, styled } from './output.ts'
import { cut, pad, printable, textWidth } from './text-width.ts'

export interface TableColumn {
  readonly name: string
  readonly align?: 'left' | 'right'
}

/** A cell's text; null is shown as `null`, dimmed. */
export type Cell = string | null

/** cells a column keeps however narrow the terminal is */
const NARROWEST = 12
const GAP = '  '

/** Rows whose widths decide those of the columns; what comes later and is wider pushes its line apart. */
const MEASURED_ROWS = 1000

/** Prints rows as they come, after looking at the first thousand. */
export class TablePrinter {
  private readonly output: Output
  private readonly columns: readonly TableColumn[]
  private held: (readonly Cell[])[] = []
  private widths: readonly number[] | undefined

  constructor(output: Output, columns: readonly TableColumn[]) {
    this.output = output
    this.columns = columns
  }

  async add(row: readonly Cell[]): Promise<void> {
    const cells = row.map((cell) => (cell === null ? null : printable(cell)))
    if (this.widths !== undefined) return await this.printRow(cells, this.widths)
    this.held.push(cells)
    if (this.held.length >= MEASURED_ROWS) await this.begin()
  }

  /** Prints what is held; a table without rows is its line of names. */
  async end(): Promise<void> {
    if (this.widths === undefined) await this.begin()
  }

  private async begin(): Promise<void> {
    const names = this.columns.map((column) => printable(column.name))
    const needed = names.map((name, i) => {
      return this.held.reduce((most, row) => Math.max(most, textWidth(row[i] ?? 'null')), textWidth(name))
    })
    const widths = fitWidths(needed, this.output.columns)
    this.widths = widths
    const header = names.map((name, i) => styled(this.align(name, i, widths), 'bold', this.output.color))
    await this.output.line(header.join(GAP).trimEnd())
    for (const row of this.held) await this.printRow(row, widths)
    this.held = []
  }

  private async printRow(row: readonly Cell[], widths: readonly number[]): Promise<void> {
    const cells = row.map((cell, i) => {
      const text = this.align(cell ?? 'null', i, widths)
      return cell === null ? styled(text, 'dim', this.output.color) : text
    })
    await this.output.line(cells.join(GAP).trimEnd())
  }

  private align(text: string, column: number, widths: readonly number[]): string {
    const align = this.columns[column]?.align ?? 'left'
    const last = column === this.columns.length - 1
    const width = widths[column] ?? 0
    const shown = this.output.columns === undefined ? text : cut(text, width)
    return last && align === 'left' ? shown : pad(shown, width, align)
  }
}

/** Widths that fit a line of so many cells: the widest give way first. */
function fitWidths(needed: readonly number[], columns: number | undefined): readonly number[] {
  const widths = [...needed]
  if (columns === undefined) return widths
  const room = columns - GAP.length * (widths.length - 1)
  const total = () => widths.reduce((sum, width) => sum + width, 0)
  while (total() > room) {
    const widest = Math.max(...widths)
    if (widest <= NARROWEST) break
    const next = Math.max(NARROWEST, ...widths.filter((width) => width < widest))
    const at = widths.flatMap((width, i) => (width === widest ? [i] : []))
    const cutEach = Math.min(widest - next, Math.ceil((total() - room) / at.length)) || 1
    for (const i of at) widths[i] = widest - cutEach
  }
  return widths
}

export async function printTable(
  output: Output,
  columns: readonly TableColumn[],
  rows: Iterable<readonly Cell[]>,
): Promise<void> {
  const printer = new TablePrinter(output, columns)
  for (const row of rows) await printer.add(row)
  await printer.end()
}

/** Names on the left, values on the right: one thing described. */
export async function printFacts(output: Output, facts: readonly (readonly [string, Cell])[]): Promise<void> {
  const width = facts.reduce((most, [name]) => Math.max(most, textWidth(name)), 0)
  for (const [name, value] of facts) {
    const text = value === null ? styled('null', 'dim', output.color) : printable(value)
    await output.line(`${styled(pad(name, width, 'left'), 'bold', output.color)}  ${text}`)
  }
}
