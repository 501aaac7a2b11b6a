/**
 * What the columns of a new table declare of themselves: defaults, expressions that generate them, identity.
 *
 * Source: Delta protocol, "Generated Columns", "Identity Columns", "Default Columns".
 */
import { type DeltaError, deltaError, type ErrorCode, isDeltaError } from '../../errors/index.ts'
import { type BoundExpression, bindExpression, isInterval, parseExpression } from '../../expressions/index.ts'
import {
  type DataType,
  findField,
  formatType,
  type StructField,
  type StructType,
  sameType,
  structType,
} from '../../schema/index.ts'
import { identityNumber } from '../rules/index.ts'
import { holdsAll } from '../values/index.ts'
import { checkDefault } from './default-value.ts'
import { refuseNotGenerating } from './generating-functions.ts'

const DEFAULT = 'CURRENT_DEFAULT'
const GENERATION = 'delta.generationExpression'
const IDENTITY = 'delta.identity.start'

export interface NewTable {
  readonly schema: StructType
  readonly partitionBy: readonly string[]
  readonly properties: ReadonlyMap<string, string>
}

/**
 * @throws DeltaError `DELTA_NESTED_NOT_NULL_CONSTRAINT`, `WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED`, `INVALID_DEFAULT_VALUE.…`,
 * `UNSUPPORTED_EXPRESSION_GENERATED_COLUMN`, `DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN`,
 * `DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH`,
 * `DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE`, `IDENTITY_COLUMNS_ILLEGAL_STEP`,
 * `DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED`
 */
export function checkDeclaredColumns({ schema, partitionBy, properties }: NewTable): void {
  refuseRequiredItems(schema.fields)
  for (const field of schema.fields) {
    const { [DEFAULT]: text, [GENERATION]: generation } = field.metadata
    if (typeof text === 'string') checkDeclaredDefault(field, text, properties)
    if (typeof generation === 'string') checkGeneration(field, generation, schema)
    if (field.metadata[IDENTITY] !== undefined) checkIdentity(field, schema, partitionBy)
  }
}

/** @throws DeltaError `DELTA_NESTED_NOT_NULL_CONSTRAINT` for NOT NULL inside of arrays and maps: nothing could hold rows to it */
function refuseRequiredItems(fields: readonly StructField[], around: readonly string[] = []): void {
  for (const { name, type } of fields) {
    const path = [...around, name]
    if (type.kind === 'struct') refuseRequiredItems(type.fields, path)
    const parts = type.kind === 'array' ? [type.element] : type.kind === 'map' ? [type.key, type.value] : []
    if (parts.some(holdsNotNull)) {
      throw deltaError('DELTA_NESTED_NOT_NULL_CONSTRAINT', { column: path.join('.'), type: formatType(type) })
    }
  }
}

/** Whether some field inside a type is NOT NULL. */
export function holdsNotNull(type: DataType): boolean {
  if (type.kind === 'struct') return type.fields.some((field) => !field.nullable || holdsNotNull(field.type))
  if (type.kind === 'array') return holdsNotNull(type.element)
  return type.kind === 'map' && (holdsNotNull(type.key) || holdsNotNull(type.value))
}

function checkDeclaredDefault(field: StructField, text: string, properties: ReadonlyMap<string, string>): void {
  const isAsked = [...properties.keys()].some((key) => key.toLowerCase() === 'delta.feature.allowcolumndefaults')
  if (!isAsked) throw deltaError('WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED', { column: field.name })
  checkDefault(text, [field.name], field.type)
}

function checkGeneration(field: StructField, text: string, schema: StructType): void {
  const details = { column: field.name, expression: text }
  const { type } = bindGeneration(field, text, schema)
  const found = isInterval(type) ? type.text : formatType(type)
  if (!isInterval(type) && sameType(type, field.type)) return
  if (type.kind === 'void' || (!isInterval(type) && holdsAll(type, field.type))) {
    const mismatch = { ...details, type: formatType(field.type), found }
    throw deltaError('DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH', mismatch)
  }
  const reason = `it is ${found}, which does not go into ${formatType(field.type)}`
  throw deltaError('UNSUPPORTED_EXPRESSION_GENERATED_COLUMN', { ...details, reason })
}

/** Columns are made of columns that are given, not of each other. */
function bindGeneration(field: StructField, text: string, schema: StructType): BoundExpression {
  const isGiven = ({ metadata }: StructField) => metadata[GENERATION] === undefined && metadata[IDENTITY] === undefined
  const given = structType(schema.fields.filter(isGiven))
  try {
    const expression = parseExpression(text)
    const bound = bindExpression(expression, given)
    refuseNotGenerating(expression, bound, { column: field.name, expression: text })
    return bound
  } catch (error) {
    if (!isDeltaError(error)) throw error
    const reason = reasonOf(error, schema)
    if (reason === undefined) throw error
    const details = { column: field.name, expression: text, reason }
    throw deltaError('UNSUPPORTED_EXPRESSION_GENERATED_COLUMN', details, { cause: error })
  }
}

const UNKNOWN_PARTS: readonly string[] = [
  'LAKE_EXPRESSION_UNSUPPORTED',
  'UNRESOLVED_ROUTINE',
  'WRONG_NUM_ARGS.WITHOUT_SUGGESTION',
] satisfies ErrorCode[]

/** Why an expression cannot generate a column; undefined where the error says it itself. */
function reasonOf(error: DeltaError, schema: StructType): string | undefined {
  const { code, message, details } = error
  if (UNKNOWN_PARTS.includes(code)) return message
  const { name } = details
  if (!code.startsWith('UNRESOLVED_COLUMN.') || typeof name !== 'string') return undefined
  return findField(schema, name.replaceAll('`', '')) && `${name} gets its own value from the table`
}

function checkIdentity(field: StructField, schema: StructType, partitionBy: readonly string[]): void {
  const { name: column, type, metadata } = field
  if (type.kind !== 'long') {
    throw deltaError('DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE', { column, type: formatType(type) })
  }
  if ((identityNumber(metadata['delta.identity.step']) ?? 0n) === 0n) {
    throw deltaError('IDENTITY_COLUMNS_ILLEGAL_STEP', { column })
  }
  if (partitionBy.some((name) => findField(schema, name) === field)) {
    throw deltaError('DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED', { column })
  }
}
