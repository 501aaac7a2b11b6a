/**
 * The join as one query: the pairs, and the rows that match nothing, on which an action applies, as a temporary table.
 *
 * The kind of join follows from which rows actions speak of; the source, mostly the smaller side, is hashed and the
 * table streams past it. Columns of the table that are drawn later come along, so that files are read once.
 */
import type { BoundExpression } from '../../../expressions/index.ts'
import { withHiddenColumns } from '../../../kernel/index.ts'
import { columnOrdinals, conjunctsOf, type EngineOptions, type JoinAction, type JoinPlan } from '../../index.ts'
import { expressionError } from '../expressions/index.ts'
import type { QueryOptions } from '../instance.ts'
import { localFiles } from '../scan/local-files.ts'
import { readSql } from '../scan/read-sql.ts'
import { convertSql } from '../values/convert.ts'
import { LOGICAL, sqlType } from '../values/sql-type.ts'
import { JoinedTable } from './joined-table.ts'
import { type JointColumns, jointSql } from './joint-columns.ts'
import { streamed } from './probe-side.ts'
import { ACTED, STAGED, type Staging } from './staging.ts'
import { withShapes } from './with-shapes.ts'

export async function joinTable(staging: Staging, plan: JoinPlan, { signal }: EngineOptions): Promise<JoinedTable> {
  const options = { signal, what: 'the join' }
  const query = new JoinQuery(staging, plan)
  await query.create(options)
  return await JoinedTable.open(staging, plan, options)
}

class JoinQuery {
  private readonly staging: Staging
  private readonly plan: JoinPlan
  private readonly columns: JointColumns
  /** ordinals of the table's columns that the query reads */
  private readonly inputs: readonly number[]
  private readonly select: string

  constructor(staging: Staging, plan: JoinPlan) {
    this.staging = staging
    this.plan = plan
    const target = plan.layout.schema
    this.columns = { target, source: staging.schema, targetRelation: 't', sourceRelation: 's' }
    this.inputs = this.inputOrdinals()
    this.select = this.selectSql()
  }

  async create(options: QueryOptions): Promise<void> {
    const { plan, staging } = this
    const need = { layout: plan.layout, ordinals: this.inputs }
    const opened = { signal: options.signal, grouped: false, need }
    for await (const { files } of localFiles(staging.database, plan.store, plan.files, opened)) {
      const layout = withHiddenColumns(plan.layout, ['file_index', 'row_index'])
      const width = plan.layout.schema.fields.length
      const ordinals = [...this.inputs, width, width + 1]
      await withShapes(layout, ordinals, files, async (byShape) => {
        const read = await readSql(staging.session, { layout, files, ordinals, byShape }, options)
        const relation = this.hashesSource() ? streamed(`(${read})`, staging.numRows, files.length) : `(${read})`
        const columns = [`c${width} AS f`, `c${width + 1} AS r`, ...this.targetColumns()]
        const target = `SELECT ${columns.join(', ')} FROM ${relation}`
        await staging.session.run(this.createSql(target), options)
      })
      return
    }
    await staging.session.run(this.createSql(this.noRows()), options).catch((error: unknown) => {
      throw expressionError(error)
    })
  }

  private createSql(target: string): string {
    return `CREATE OR REPLACE TEMP TABLE ${ACTED} AS SELECT * FROM (
      SELECT ${this.select} FROM (${target}) t
      ${this.joinType()} JOIN (SELECT rowid AS i, * FROM ${STAGED}) s ON ${this.condition()}
    ) WHERE a IS NOT NULL`
  }

  /** The smaller side is hashed. */
  private hashesSource(): boolean {
    const counts = this.plan.files.map(({ stats }) => /"numRecords"\s*:\s*(\d+)/.exec(stats ?? '')?.[1])
    if (counts.some((count) => count === undefined)) return true
    return this.staging.numRows <= counts.reduce((sum, count) => sum + Number(count), 0)
  }

  private joinType(): 'INNER' | 'LEFT' | 'RIGHT' | 'FULL' {
    const keepsSource = this.plan.notMatched.length > 0
    const keepsTarget = this.plan.notMatchedBySource.length > 0
    return keepsSource ? (keepsTarget ? 'FULL' : 'RIGHT') : keepsTarget ? 'LEFT' : 'INNER'
  }

  /** Each part by itself, so that DuckDB sees the equalities. */
  private condition(): string {
    const { condition, within, notMatchedBySource } = this.plan
    const narrows = within !== undefined && notMatchedBySource.length === 0 ? conjunctsOf(within) : []
    return [...conjunctsOf(condition), ...narrows].map((part) => `(${jointSql(part, this.columns)})`).join(' AND ')
  }

  private selectSql(): string {
    const { plan } = this
    const action = `CASE WHEN t.r IS NULL THEN ${this.chosen(plan.notMatched)}
      WHEN s.i IS NULL THEN ${this.chosen(plan.notMatchedBySource)} ELSE ${this.chosen(plan.matched)} END`
    const kept = this.keptOrdinals().map((ordinal) => `t.c${ordinal}`)
    return [`t.f AS f`, `t.r AS r`, `s.i AS s`, `${action} AS a`, ...kept].join(', ')
  }

  private chosen(actions: readonly JoinAction[]): string {
    if (actions.length === 0) return 'NULL::INTEGER'
    const branches = actions.map(({ id, condition }) => `WHEN ${this.holds(condition)} THEN ${id}::INTEGER`)
    return `CASE ${branches.join(' ')} END`
  }

  private holds(condition: BoundExpression | undefined): string {
    return condition === undefined ? 'true' : jointSql(condition, this.columns)
  }

  private inputOrdinals(): readonly number[] {
    const { condition, matched, notMatched, notMatchedBySource, layout } = this.plan
    const conditions = [...matched, ...notMatched, ...notMatchedBySource].flatMap((action) => action.condition ?? [])
    const width = layout.schema.fields.length
    const read = [condition, ...conditions].flatMap(columnOrdinals).filter((ordinal) => ordinal < width)
    return [...new Set([...read, ...this.keptOrdinals()])].filter((ordinal) => !this.isVoid(ordinal))
  }

  /** What is shown of rows that repeat is kept too. */
  private keptOrdinals(): readonly number[] {
    const { kept, shown, layout } = this.plan
    const width = layout.schema.fields.length
    const read = shown.flatMap(columnOrdinals).filter((ordinal) => ordinal < width)
    return [...new Set([...kept, ...read])].filter((ordinal) => !this.isVoid(ordinal))
  }

  private isVoid(ordinal: number): boolean {
    return this.plan.layout.schema.fields[ordinal]!.type.kind === 'void'
  }

  private targetColumns(): readonly string[] {
    const { layout } = this.plan
    return this.inputs.map((ordinal) => {
      const { type } = layout.schema.fields[ordinal]!
      return `${convertSql(`c${ordinal}`, { type, naming: layout }, { type, naming: LOGICAL })} AS c${ordinal}`
    })
  }

  private noRows(): string {
    const { fields } = this.plan.layout.schema
    const columns = this.inputs.map((ordinal) => `NULL::${sqlType(fields[ordinal]!.type, LOGICAL)} AS c${ordinal}`)
    return `SELECT ${['NULL::BIGINT AS f', 'NULL::BIGINT AS r', ...columns].join(', ')} WHERE false`
  }
}
