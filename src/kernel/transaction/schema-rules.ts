/** What a schema must satisfy before a table may have it. */
import { deltaError } from '../../errors/index.ts'
import {
  type DataType,
  findField,
  foldCase,
  formatType,
  type StructField,
  type StructType,
} from '../../schema/index.ts'

export interface SchemaRules {
  /** logical names as the user gives them */
  readonly partitionColumns: readonly string[]
  /** whether files know columns by other names, so that a name may hold anything */
  readonly mapsColumns: boolean
  /** whether the table keeps a change feed, whose columns are then taken */
  readonly hasChangeFeed: boolean
}

const INVALID_CHARACTERS = /[ ,;{}()\n\t=]/
const CHANGE_FEED_COLUMNS: ReadonlySet<string> = new Set(['_change_type', '_commit_version', '_commit_timestamp'])

/**
 * @returns the partition columns in the schema's spelling
 * @throws DeltaError `COLUMN_ALREADY_EXISTS`, `DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES`,
 * `RESERVED_CDC_COLUMNS_ON_WRITE`, `LAKE_PARTITION_COLUMN_NOT_FOUND`, `INVALID_PARTITION_COLUMN_DATA_TYPE`,
 * `ALL_PARTITION_COLUMNS_NOT_ALLOWED`
 */
export function validateSchema(schema: StructType, rules: SchemaRules): string[] {
  validateNames(schema, [], rules)
  const taken = schema.fields.map((field) => field.name).filter((name) => CHANGE_FEED_COLUMNS.has(foldCase(name)))
  if (rules.hasChangeFeed && taken.length > 0) throw deltaError('RESERVED_CDC_COLUMNS_ON_WRITE', { columns: taken })
  return validatePartitionColumns(schema, rules.partitionColumns)
}

function validateNames(type: DataType, path: readonly string[], rules: SchemaRules): void {
  switch (type.kind) {
    case 'struct':
      validateFields(type.fields, path, rules)
      break
    case 'array':
      validateNames(type.element, [...path, 'element'], rules)
      break
    case 'map':
      validateNames(type.key, [...path, 'key'], rules)
      validateNames(type.value, [...path, 'value'], rules)
      break
    default:
  }
}

function validateFields(fields: readonly StructField[], path: readonly string[], rules: SchemaRules): void {
  const seen = new Set<string>()
  for (const { name, type } of fields) {
    const column = [...path, name].join('.')
    const folded = foldCase(name)
    if (seen.has(folded)) throw deltaError('COLUMN_ALREADY_EXISTS', { column })
    seen.add(folded)
    if (name === '' || (!rules.mapsColumns && INVALID_CHARACTERS.test(name))) {
      throw deltaError('DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES', { column })
    }
    validateNames(type, [...path, name], rules)
  }
}

function validatePartitionColumns(schema: StructType, wanted: readonly string[]): string[] {
  const names: string[] = []
  for (const name of wanted) {
    const field = findField(schema, name)
    const columns = schema.fields.map((candidate) => candidate.name)
    if (field === undefined) throw deltaError('LAKE_PARTITION_COLUMN_NOT_FOUND', { column: name, columns })
    if (names.includes(field.name)) throw deltaError('COLUMN_ALREADY_EXISTS', { column: name })
    if (!isPartitionType(field.type)) {
      throw deltaError('INVALID_PARTITION_COLUMN_DATA_TYPE', { column: name, type: formatType(field.type) })
    }
    names.push(field.name)
  }
  if (names.length > 0 && names.length === schema.fields.length) {
    throw deltaError('ALL_PARTITION_COLUMNS_NOT_ALLOWED', { columns: names })
  }
  return names
}

function isPartitionType({ kind }: DataType): boolean {
  return !['struct', 'array', 'map', 'variant', 'void'].includes(kind)
}
