/**
 * Rows of a join into files.
 *
 * Rows that no action touched are copied file by file, about one output file's worth at a time; those on which actions
 * apply go with the last of them where they are few, else a range at a time.
 */
import { isDeltaError } from '../../../errors/index.ts'
import type { BoundExpression } from '../../../expressions/index.ts'
import { type ScanFile, withHiddenColumns } from '../../../kernel/index.ts'
import type { DataType } from '../../../schema/index.ts'
import { throwIfAborted } from '../../../support/index.ts'
import {
  columnOrdinals,
  type EngineOptions,
  type JoinPlan,
  type RowDraw,
  type WritePlan,
  type WriteResult,
} from '../../index.ts'
import { expressionError } from '../expressions/index.ts'
import type { QueryOptions } from '../instance.ts'
import { localFiles } from '../scan/local-files.ts'
import { readSql } from '../scan/read-sql.ts'
import { convertSql } from '../values/convert.ts'
import { LOGICAL } from '../values/sql-type.ts'
import { FileWriter } from '../write/file-writer.ts'
import { evaluateDraw } from './evaluate-draw.ts'
import { type JointColumns, jointSql, readsSource } from './joint-columns.ts'
import { streamed } from './probe-side.ts'
import { ACTED, STAGED, type Staging } from './staging.ts'
import { withShapes } from './with-shapes.ts'

type ActedDraw = Extract<RowDraw, { kind: 'acted' }>
type UntouchedDraw = Extract<RowDraw, { kind: 'untouched' }>

export interface Drawing {
  readonly staging: Staging
  readonly plan: JoinPlan
  /** number of rows of the table on which actions apply */
  readonly numTouched: number
  readonly draws: readonly RowDraw[]
  readonly write: WritePlan
  /** number of rows that the draws of acted rows give */
  readonly numActed: number
}

const WHAT = 'the write'
/** Bytes of a written row where no file tells. */
const GUESSED_ROW_BYTES = 100

export async function drawRows(drawing: Drawing, { signal, onProgress }: EngineOptions): Promise<WriteResult> {
  throwIfAborted(signal, WHAT)
  const { database, session } = drawing.staging
  const options = { signal, what: WHAT }
  const writer = new FileWriter(database, session, drawing.write, options)
  const report = () => onProgress?.({ rows: writer.numRows, bytes: sizeOf(writer.files), files: writer.files.length })
  try {
    for await (const relation of new Drawer(drawing, options).relations()) {
      await relation((sql) => writer.write(sql))
      report()
    }
    return { files: writer.files, numRows: writer.numRows, numFiltered: 0, numRejected: 0 }
  } catch (error) {
    await writer.abort()
    throw expressionError(error)
  }
}

function sizeOf(files: readonly { readonly size: number }[]): number {
  return files.reduce((sum, file) => sum + file.size, 0)
}

/** A relation that is written while the files it reads are there. */
type Relation = (use: (sql: string) => Promise<void>) => Promise<void>

class Drawer {
  private readonly drawing: Drawing
  private readonly options: QueryOptions
  private readonly actedDraws: readonly ActedDraw[]
  private readonly untouchedDraws: readonly UntouchedDraw[]
  /** of the plan's files */
  private readonly places: ReadonlyMap<ScanFile, number>

  constructor(drawing: Drawing, options: QueryOptions) {
    this.drawing = drawing
    this.options = options
    this.actedDraws = drawing.draws.filter((draw): draw is ActedDraw => draw.kind === 'acted')
    this.places = new Map(drawing.plan.files.map((file, i) => [file, i]))
    this.untouchedDraws = drawing.draws.filter((draw): draw is UntouchedDraw => draw.kind === 'untouched')
  }

  async *relations(): AsyncGenerator<Relation> {
    const worths = this.untouchedDraws.flatMap((draw) => this.fileWorths(draw))
    const ranges = await this.actedRanges()
    const joins = ranges.length === 1 && worths.length > 0
    for (const [i, { draw, files }] of worths.entries()) {
      const acted = joins && i === worths.length - 1 ? await this.actedSql(ranges[0]!) : undefined
      yield (use) =>
        this.withUntouched(draw, files, (sql) => use(acted === undefined ? sql : `${sql} UNION ALL ${acted}`))
    }
    if (!joins) for (const range of ranges) yield async (use) => use(await this.actedSql(range))
  }

  /** The files of a draw, as many at a time as make about one output file. */
  private fileWorths(draw: UntouchedDraw): { draw: UntouchedDraw; files: ScanFile[] }[] {
    const worths: { draw: UntouchedDraw; files: ScanFile[] }[] = []
    let bytes = 0
    for (const file of draw.files) {
      const isFull = bytes > 0 && bytes + file.size > this.drawing.write.targetFileSize
      if (worths.length === 0 || isFull) worths.push({ draw, files: [] })
      bytes = isFull ? file.size : bytes + file.size
      worths.at(-1)!.files.push(file)
    }
    return worths
  }

  /** Conditions on the acted rows of which each gives about one output file's worth; none where no row is drawn. */
  private async actedRanges(): Promise<readonly string[]> {
    const { numActed, write, staging } = this.drawing
    if (numActed === 0) return []
    const parts = Math.ceil((numActed * this.rowBytes()) / write.targetFileSize)
    if (parts <= 1) return ['']
    const rows = await staging.session.query(`SELECT count(*)::BIGINT FROM ${ACTED}`, this.options)
    const step = Math.ceil(Number(rows[0]![0]) / parts)
    return Array.from({ length: parts }, (_, i) => ` AND p.rowid BETWEEN ${i * step} AND ${(i + 1) * step - 1}`)
  }

  private rowBytes(): number {
    const { files } = this.drawing.plan
    let [bytes, rows] = [0, 0]
    for (const { size, stats } of files) {
      const numRecords = Number(/"numRecords"\s*:\s*(\d+)/.exec(stats ?? '')?.[1] ?? 0)
      if (numRecords > 0) [bytes, rows] = [bytes + size, rows + numRecords]
    }
    return rows === 0 ? GUESSED_ROW_BYTES : bytes / rows
  }

  private async actedSql(range: string): Promise<string> {
    const selects: string[] = []
    for (const [i, draw] of this.actedDraws.entries()) {
      selects.push(this.compiledDraw(draw, range) ?? (await this.evaluatedDraw(draw, range, i)))
    }
    return selects.join(' UNION ALL ')
  }

  /** @returns undefined where an expression has no form in SQL */
  private compiledDraw({ action, columns }: ActedDraw, range: string): string | undefined {
    const width = this.drawing.plan.layout.schema.fields.length
    const joins = columns.some((column) => readsSource(column, width))
    const joint = this.joint('p', joins ? 's' : undefined)
    const source = joins ? `LEFT JOIN ${STAGED} s ON s.rowid = p.s` : ''
    try {
      return `SELECT ${this.outputs(columns, joint)} FROM ${ACTED} p ${source} WHERE p.a = ${action}${range}`
    } catch (error) {
      if (isDeltaError(error, 'LAKE_EXPRESSION_NOT_COMPILED')) return undefined
      throw error
    }
  }

  private async evaluatedDraw(draw: ActedDraw, range: string, number: number): Promise<string> {
    const { staging, plan, write } = this.drawing
    const table = `drawn_rows${number}`
    await evaluateDraw({ staging, plan, draw, write, table, range }, this.options)
    const outputs = write.layout.schema.fields.flatMap(({ type }, ordinal) => {
      if (type.kind === 'void') return []
      return [`${convertSql(`d${ordinal}`, { type, naming: LOGICAL }, { type, naming: write.layout })} AS d${ordinal}`]
    })
    return `SELECT ${outputs.join(', ')} FROM ${table}`
  }

  private async withUntouched(
    draw: UntouchedDraw,
    files: readonly ScanFile[],
    use: (sql: string) => Promise<void>,
  ): Promise<void> {
    const { plan, staging } = this.drawing
    const width = plan.layout.schema.fields.length
    const layout = withHiddenColumns(plan.layout, ['file_index', 'row_index'])
    const ordinals = [...new Set(draw.columns.flatMap(columnOrdinals))].filter((ordinal) => ordinal < width)
    const outputs = this.outputs(draw.columns, this.joint('t', undefined))
    const opened = { signal: this.options.signal, grouped: false, need: { layout, ordinals } }
    for await (const group of localFiles(staging.database, plan.store, files, opened)) {
      const placed = group.files.map((file) => ({ ...file, index: this.places.get(file.add)! }))
      await withShapes(layout, ordinals, group.files, async (byShape) => {
        const request = { layout, files: placed, ordinals: [...ordinals, width, width + 1], byShape }
        const read = await readSql(staging.session, request, this.options)
        const base = this.untouchedSql(read, ordinals, placed.length)
        await use(`SELECT ${outputs} FROM (${base}) t`)
      })
    }
  }

  /** The rows of files but those on which an action applies. */
  private untouchedSql(read: string, ordinals: readonly number[], numFiles: number): string {
    const { layout } = this.drawing.plan
    const { fields } = layout.schema
    const columns = ordinals.map((ordinal) => {
      const { type } = fields[ordinal]!
      return `${convertSql(`c${ordinal}`, { type, naming: layout }, { type, naming: LOGICAL })} AS c${ordinal}`
    })
    const places = [`c${fields.length} AS f`, `c${fields.length + 1} AS r`]
    const relation = streamed(`(${read})`, this.drawing.numTouched, numFiles)
    return `SELECT * FROM (SELECT ${[...columns, ...places].join(', ')} FROM ${relation}) u
      ANTI JOIN ${ACTED} p ON p.f = u.f AND p.r = u.r`
  }

  private joint(targetRelation: string, sourceRelation: string | undefined): JointColumns {
    const { plan, staging } = this.drawing
    return { target: plan.layout.schema, source: staging.schema, targetRelation, sourceRelation }
  }

  /** The columns of the layout that is written, as `d<ordinal>`. */
  private outputs(columns: readonly BoundExpression[], joint: JointColumns): string {
    const { layout } = this.drawing.write
    const outputs = columns.flatMap((column, ordinal) => {
      const { type } = layout.schema.fields[ordinal]!
      if (type.kind === 'void') return []
      const from = { type: column.type as DataType, naming: LOGICAL }
      return [`${convertSql(jointSql(column, joint), from, { type, naming: layout })} AS d${ordinal}`]
    })
    return outputs.join(', ')
  }
}
