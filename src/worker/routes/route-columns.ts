/**
 * The columns of a record on its way through the steps of a route, each an expression over the record of the source.
 *
 * Steps are taken on the declaration, not on records: whatever a route does ends as one filter and one list of
 * expressions, which an engine computes over raw bytes.
 */
import {
  type BoundExpression,
  bindExpression,
  bindPredicate,
  isInterval,
  parseExpression,
} from '../../expressions/index.ts'
import { field, foldCase, formatType, type StructType, sameType, structType, voidType } from '../../schema/index.ts'
import { type RecordType, recordTypeOf, type StructRecord, tableTypeOf } from '../records/record-type.ts'

export interface RouteColumn {
  readonly name: string
  readonly type: RecordType
  /** bound to the source's record */
  readonly expression: BoundExpression
}

/** Why a step cannot be taken, as a clause. */
export class StepFault extends Error {}

/** The columns a source's record starts with; a field that can hold no value is none. */
export function columnsOfRecord(record: StructRecord): RouteColumn[] {
  const held = record.fields.flatMap(({ name, type }) => {
    const tableType = tableTypeOf(type)
    return tableType === undefined ? [] : [{ name, type, tableType }]
  })
  return held.map(({ name, type, tableType }, ordinal) => ({
    name,
    type,
    expression: { kind: 'column', ordinals: [ordinal], path: [name], type: tableType },
  }))
}

/** @throws StepFault */
export function columnNamed(columns: readonly RouteColumn[], name: string): RouteColumn {
  const found = columns.find((c) => c.name === name) ?? columns.find((c) => foldCase(c.name) === foldCase(name))
  if (found !== undefined) return found
  throw new StepFault(`there is no field ${name}; the fields are ${columns.map((c) => c.name).join(', ')}`)
}

/** Binds a text to the columns and writes it in terms of the source's record. */
export function expressionOver(columns: readonly RouteColumn[], text: string): BoundExpression {
  return inline(bindExpression(parseExpression(text), schemaOf(columns)), columns)
}

export function conditionOver(columns: readonly RouteColumn[], text: string): BoundExpression {
  return inline(bindPredicate(text, schemaOf(columns)), columns)
}

export function computedColumn(name: string, expression: BoundExpression): RouteColumn {
  const { type } = expression
  if (isInterval(type)) {
    throw new StepFault(`${name} would be an interval, which no column holds`)
  }
  const recordType = recordTypeOf(type)
  const tableType = tableTypeOf(recordType)
  if (tableType === undefined || !sameType(tableType, type)) {
    throw new StepFault(`${name} would be ${formatType(type)}, which this destination has no column for; cast it`)
  }
  return { name, type: recordType, expression }
}

function schemaOf(columns: readonly RouteColumn[]): StructType {
  return structType(columns.flatMap(({ name, type }) => field(name, tableTypeOf(type) ?? voidType)))
}

/** Puts the expression of each column in the place of its name. */
function inline(node: BoundExpression, columns: readonly RouteColumn[]): BoundExpression {
  switch (node.kind) {
    case 'column':
      return inlineColumn(node, columns)
    case 'call':
      return { ...node, args: node.args.map((arg) => inline(arg, columns)) }
    case 'cast':
      return { ...node, child: inline(node.child, columns) }
    case 'case':
      return {
        ...node,
        branches: node.branches.map(({ when, then }) => ({ when: inline(when, columns), then: inline(then, columns) })),
        otherwise: inline(node.otherwise, columns),
      }
    case 'lambda':
      return { ...node, body: inline(node.body, columns) }
    default:
      return node
  }
}

function inlineColumn(
  node: Extract<BoundExpression, { kind: 'column' }>,
  columns: readonly RouteColumn[],
): BoundExpression {
  const [ordinal = 0, ...inner] = node.ordinals
  const { name, expression } = columns[ordinal]!
  if (inner.length === 0) return expression
  if (expression.kind !== 'column') throw new StepFault(`${name} is computed, and a step reads a field inside it`)
  return {
    ...node,
    ordinals: [...expression.ordinals, ...inner],
    path: [...expression.path, ...node.path.slice(1)],
  }
}
