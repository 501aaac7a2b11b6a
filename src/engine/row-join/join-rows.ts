/** Which action applies to each row, found by reading the table once. */
import { compileEvaluator } from '../../expressions/index.ts'
import { RowSet, type ScanFile, withHiddenColumns } from '../../kernel/index.ts'
import type { Row, StructType, Value } from '../../schema/index.ts'
import { throwIfAborted } from '../../support/index.ts'
import type { EngineOptions } from '../engine.ts'
import type { JoinAction, JoinedRows, JoinPlan, RepeatedMatches, TouchedFile } from '../join.ts'
import { type ActedRow, drawnRows } from './draw-rows.ts'
import { type Candidates, candidateFinder, columnOrdinals } from './row-keys.ts'
import type { RowAccess } from './staged-rows.ts'

const WHAT = 'the join'
/** Pairs shown of a row that several rows act on. */
const EXAMPLES = 3

export interface JoinTask {
  readonly access: RowAccess
  readonly source: { readonly schema: StructType; readonly rows: readonly Row[] }
  readonly plan: JoinPlan
}

/** See `StagedRows.join`. */
export async function joinRows(task: JoinTask, options: EngineOptions = {}): Promise<JoinedRows> {
  const joiner = new RowJoiner(task)
  for await (const row of targetRows(task, joiner.inputs, options)) joiner.add(row)
  const { acted, repeated } = joiner.finish()
  const { access, plan } = task
  return {
    counts: countActions(acted),
    repeated,
    touched: touchedFiles(acted, plan.files),
    write: (draws, write, call = {}) => {
      const rows = drawnRows(task, acted, draws, call)
      return access.write({ kind: 'rows', schema: write.layout.schema, rows }, write, call)
    },
  }
}

/** A row of the table, and where it lies. */
interface PlacedRow {
  /** as wide as the table's layout; columns that are not read are null */
  readonly values: Row
  readonly file: number
  readonly position: number
}

async function* targetRows(
  { access, plan }: JoinTask,
  inputs: readonly number[],
  options: EngineOptions,
): AsyncGenerator<PlacedRow> {
  const { store, files } = plan
  const width = plan.layout.schema.fields.length
  const layout = withHiddenColumns(plan.layout, ['file_index', 'row_index'])
  const columns = [...inputs, width, width + 1]
  for await (const batch of access.scan({ store, layout, files, columns }, options)) {
    throwIfAborted(options.signal, WHAT)
    const values = columns.map((_, i) => batch.column(i))
    const [places, positions] = [values.at(-2)!, values.at(-1)!]
    for (let at = 0; at < batch.numRows; at++) {
      const row = new Array<Value>(width).fill(null)
      for (const [i, ordinal] of inputs.entries()) row[ordinal] = values[i]![at]!
      yield { values: row, file: Number(places[at]), position: Number(positions[at]) }
    }
  }
}

class RowJoiner {
  /** ordinals of the table's columns that are read */
  readonly inputs: readonly number[]
  private readonly plan: JoinPlan
  private readonly source: readonly Row[]
  private readonly sourceNulls: Row
  private readonly candidates: Candidates
  private readonly matches: (joint: Row) => Value
  private readonly choose: { readonly [K in 'matched' | 'notMatched' | 'notMatchedBySource']: ActionChoice }
  private readonly found = new Set<number>()
  private readonly acted: ActedRow[] = []
  private repeated: RepeatedMatches | undefined

  constructor({ plan, source }: JoinTask) {
    const width = plan.layout.schema.fields.length
    this.plan = plan
    this.source = source.rows
    this.sourceNulls = source.schema.fields.map(() => null)
    this.candidates = candidateFinder(plan.condition, width, source.rows)
    this.matches = compileEvaluator(plan.condition)
    this.choose = {
      matched: actionChoice(plan.matched),
      notMatched: actionChoice(plan.notMatched),
      notMatchedBySource: actionChoice(plan.notMatchedBySource),
    }
    this.inputs = inputsOf(plan, width)
  }

  add({ values, file, position }: PlacedRow): void {
    const acts: ActedRow[] = []
    let isMatched = false
    for (const i of this.candidates(values)) {
      const joint = [...values, ...this.source[i]!]
      if (this.matches(joint) !== true) continue
      isMatched = true
      this.found.add(i)
      const action = this.choose.matched(joint)
      if (action !== undefined) acts.push({ action, joint, file, position })
    }
    if (!isMatched) {
      const joint = [...values, ...this.sourceNulls]
      const action = this.choose.notMatchedBySource(joint)
      if (action !== undefined) acts.push({ action, joint, file, position })
    }
    this.keep(acts)
  }

  finish(): { acted: readonly ActedRow[]; repeated: RepeatedMatches | undefined } {
    const targetNulls = this.plan.layout.schema.fields.map(() => null)
    for (const [i, row] of this.source.entries()) {
      if (this.found.has(i)) continue
      const joint = [...targetNulls, ...row]
      const action = this.choose.notMatched(joint)
      if (action !== undefined) this.acted.push({ action, joint })
    }
    return { acted: this.acted, repeated: this.repeated }
  }

  private keep(acts: readonly ActedRow[]): void {
    if (acts.length > 1 && !this.plan.keepsFirst) {
      const show = this.plan.shown.map((shown) => compileEvaluator(shown))
      const examples = acts.slice(0, EXAMPLES).map(({ joint }) => show.map((value) => value(joint)))
      this.repeated = { count: (this.repeated?.count ?? 0) + 1, examples: this.repeated?.examples ?? examples }
    }
    if (acts.length > 0) this.acted.push(acts[0]!)
  }
}

function inputsOf(plan: JoinPlan, width: number): readonly number[] {
  const { condition, matched, notMatchedBySource, kept, shown } = plan
  const conditions = [...matched, ...notMatchedBySource].flatMap((action) => action.condition ?? [])
  const read = [condition, ...conditions, ...shown].flatMap(columnOrdinals).filter((ordinal) => ordinal < width)
  return [...new Set([...kept, ...read])]
}

type ActionChoice = (joint: Row) => number | undefined

function actionChoice(actions: readonly JoinAction[]): ActionChoice {
  const tests = actions.map(({ id, condition }) => ({ id, holds: condition && compileEvaluator(condition) }))
  return (joint) => tests.find(({ holds }) => holds === undefined || holds(joint) === true)?.id
}

function countActions(acted: readonly ActedRow[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const { action } of acted) counts.set(action, (counts.get(action) ?? 0) + 1)
  return counts
}

function touchedFiles(acted: readonly ActedRow[], files: readonly ScanFile[]): readonly TouchedFile[] {
  const positions = new Map<number, number[]>()
  for (const { file, position } of acted) {
    if (file === undefined || position === undefined) continue
    const own = positions.get(file)
    if (own === undefined) positions.set(file, [position])
    else own.push(position)
  }
  return [...positions].sort(([a], [b]) => a - b).map(([file, own]) => ({ file: files[file]!, rows: RowSet.of(own) }))
}
