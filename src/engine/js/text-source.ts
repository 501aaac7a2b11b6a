/**
 * Records of raw NDJSON or CSV as rows, the steps of a route applied.
 *
 * A record that is not of the record type, or on which a step fails, is rejected with its text and the reason; it never
 * stops the write.
 */
import { causeText, isDeltaError } from '../../errors/index.ts'
import { compileEvaluator } from '../../expressions/index.ts'
import { type DataType, field, type Row, type StructType, structType, type Value } from '../../schema/index.ts'
import type { RejectedRecord, TextSource } from '../engine.ts'
import { csvRecords } from './csv-records.ts'
import { jsonRecords } from './json-records.ts'
import type { TextRecord } from './text-record.ts'

export interface TextCounts {
  numFiltered: number
  numRejected: number
}

/** The columns the source gives, behind its steps. */
export function textSchema(source: TextSource): StructType {
  if (source.select === undefined) return source.schema
  // an interval has no column type and is refused where the columns are fitted
  return structType(source.select.map(({ name, expression }) => field(name, expression.type as DataType)))
}

/** Rows behind the steps; `counts` grows as they are read. */
export async function* textRows(source: TextSource, counts: TextCounts): AsyncGenerator<readonly Row[]> {
  const steps = routeSteps(source)
  let index = 0
  for await (const records of readRecords(source)) {
    const rows: Row[] = []
    const rejected: RejectedRecord[] = []
    for (const record of records) {
      const outcome = applySteps(record, steps)
      if (outcome === 'filtered') counts.numFiltered++
      else if (typeof outcome === 'string') rejected.push({ text: record.text, index, reason: outcome })
      else rows.push(outcome)
      index++
    }
    counts.numRejected += rejected.length
    if (rejected.length > 0) source.onReject(rejected)
    if (rows.length > 0) yield rows
  }
}

function readRecords(source: TextSource): AsyncIterable<readonly TextRecord[]> {
  return source.format === 'ndjson' ? jsonRecords(source) : csvRecords(source)
}

interface RouteSteps {
  readonly matches: ((row: Row) => Value) | undefined
  readonly select: readonly ((row: Row) => Value)[] | undefined
}

function routeSteps(source: TextSource): RouteSteps {
  return {
    matches: source.filter && compileEvaluator(source.filter),
    select: source.select?.map(({ expression }) => compileEvaluator(expression)),
  }
}

/** The row, `filtered`, or the reason it is rejected for. */
function applySteps(record: TextRecord, { matches, select }: RouteSteps): Row | 'filtered' | string {
  const { row } = record
  if (row === undefined) return record.reason ?? 'it is no record'
  try {
    if (matches !== undefined && matches(row) !== true) return 'filtered'
    return select === undefined ? row : select.map((evaluate) => evaluate(row))
  } catch (error) {
    if (isDeltaError(error) && error.code !== 'LAKE_INTERNAL') return causeText(error)
    throw error
  }
}
