/** SQL text of types: `BIGINT`, `DECIMAL(10,2)`, `ARRAY<STRUCT<a: INT NOT NULL COMMENT 'x'>>`, `INTERVAL DAY TO SECOND`. */
import {
  arrayType,
  binaryType,
  booleanType,
  byteType,
  type DataType,
  dateType,
  decimalType,
  doubleType,
  field,
  floatType,
  formatType,
  integerType,
  longType,
  mapType,
  type StructField,
  shortType,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
  variantType,
  voidType,
} from '../../schema/index.ts'
import { intervalTypeOf } from '../datetime/interval.ts'
import { type ExpressionType, type IntervalType, isInterval } from '../expression.ts'
import type { TokenReader } from './token-reader.ts'

const NAMES: ReadonlyMap<string, DataType> = new Map([
  ['BOOLEAN', booleanType],
  ['TINYINT', byteType],
  ['BYTE', byteType],
  ['SMALLINT', shortType],
  ['SHORT', shortType],
  ['INT', integerType],
  ['INTEGER', integerType],
  ['BIGINT', longType],
  ['LONG', longType],
  ['FLOAT', floatType],
  ['REAL', floatType],
  ['DOUBLE', doubleType],
  ['DATE', dateType],
  ['TIMESTAMP', timestampType],
  ['TIMESTAMP_LTZ', timestampType],
  ['TIMESTAMP_NTZ', timestampNtzType],
  ['STRING', stringType],
  ['BINARY', binaryType],
  ['VOID', voidType],
  ['VARIANT', variantType],
])

/** A type, and the text that Delta keeps in a column's metadata where a CHAR or VARCHAR is in it. */
export interface ParsedType {
  readonly type: ExpressionType
  readonly charText: string | undefined
}

const plain = (type: ExpressionType): ParsedType => ({ type, charText: undefined })

/** @throws DeltaError `PARSE_SYNTAX_ERROR`, `UNSUPPORTED_DATATYPE`, `DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION` */
export function readType(reader: TokenReader): ParsedType {
  return reader.nested(() => {
    const token = reader.peek()
    if (token.kind !== 'word') throw reader.unexpected('a type')
    reader.next()
    if (reader.atOperator('<>') && token.key !== 'STRUCT') throw reader.unexpected("'<' and a type")
    switch (token.key) {
      case 'ARRAY':
        return reader.atOperator('<') ? readArray(reader) : refuseType(reader, token.text, token.start)
      case 'MAP':
        return reader.atOperator('<') ? readMap(reader) : refuseType(reader, token.text, token.start)
      case 'STRUCT':
        return readStruct(reader)
      case 'DECIMAL':
      case 'DEC':
      case 'NUMERIC':
        return plain(readDecimal(reader))
      case 'CHAR':
      case 'CHARACTER':
      case 'VARCHAR':
        return readChar(reader, token.key === 'VARCHAR' ? 'varchar' : 'char')
      case 'INTERVAL':
        return plain(readIntervalType(reader))
      case 'TIME':
        throw reader.error(token.start, 'UNSUPPORTED_TIME_TYPE', {})
      case 'GEOMETRY':
      case 'GEOGRAPHY':
        throw reader.error(token.start, 'UNSUPPORTED_FEATURE.GEOSPATIAL_DISABLED', { type: token.key })
    }
    const type = NAMES.get(token.key)
    if (type === undefined || reader.atOperator('(')) return refuseType(reader, token.text, token.start)
    if (reader.takeWord('COLLATE')) {
      reader.expectName('the name of a collation')
      reader.refuse('a collation', 'compare upper() or lower() of the text')
    }
    return plain(type)
  })
}

function refuseType(reader: TokenReader, name: string, start: number): never {
  throw reader.error(start, 'UNSUPPORTED_DATATYPE', { type: name.toUpperCase() })
}

interface ParsedDataType {
  readonly type: DataType
  readonly charText: string | undefined
}

function asData(reader: TokenReader, { type, charText }: ParsedType): ParsedDataType {
  if (!isInterval(type)) return { type, charText }
  reader.refuse(`${type.text} inside another type or a table`, 'keep the number of days or seconds')
  return plainData(voidType)
}

const plainData = (type: DataType): ParsedDataType => ({ type, charText: undefined })

/** The text of a nested type, where a CHAR or VARCHAR is among its parts. */
function nestedText(parts: readonly ParsedDataType[], write: (texts: readonly string[]) => string): string | undefined {
  if (parts.every(({ charText }) => charText === undefined)) return undefined
  return write(parts.map(({ type, charText }) => charText ?? formatType(type)))
}

function readArray(reader: TokenReader): ParsedType {
  reader.expectOperator('<')
  const element = asData(reader, readType(reader))
  reader.expectOperator('>')
  return { type: arrayType(element.type), charText: nestedText([element], ([text]) => `array<${text}>`) }
}

function readMap(reader: TokenReader): ParsedType {
  reader.expectOperator('<')
  const key = asData(reader, readType(reader))
  reader.expectOperator(',')
  const value = asData(reader, readType(reader))
  reader.expectOperator('>')
  return {
    type: mapType(key.type, value.type),
    charText: nestedText([key, value], (texts) => `map<${texts.join(',')}>`),
  }
}

function readStruct(reader: TokenReader): ParsedType {
  if (reader.takeOperator('<>')) return plain(structType([]))
  reader.expectOperator('<')
  const members: ParsedField[] = []
  if (!reader.atOperator('>')) {
    do members.push(readMember(reader))
    while (reader.takeOperator(','))
  }
  reader.expectOperator('>')
  const parts = members.map(({ member, charText }) => ({ type: member.type, charText }))
  const charText = nestedText(parts, (texts) => {
    return `struct<${texts.map((text, i) => `${members[i]!.member.name}:${text}`).join(',')}>`
  })
  return { type: structType(members.map(({ member }) => member)), charText }
}

/** A field without what the declared type says of lengths: that is kept by the column around it. */
interface ParsedField {
  readonly member: StructField
  readonly charText: string | undefined
}

/** `name [:] TYPE [NOT NULL] [COMMENT 'text']` */
function readMember(reader: TokenReader): ParsedField {
  const name = reader.expectName('the name of a field')
  reader.takeOperator(':')
  const { type, charText } = asData(reader, readType(reader))
  const nullable = !reader.takeWord('NOT')
  if (!nullable) reader.expectWord('NULL')
  const comment = reader.takeWord('COMMENT') ? reader.expectString('the comment') : undefined
  return { member: field(name, type, nullable, comment === undefined ? {} : { comment }), charText }
}

/** The same as a column of a table, whose metadata tell the lengths at any depth of it. */
export function readField(reader: TokenReader): StructField {
  const { member, charText } = readMember(reader)
  if (charText === undefined) return member
  return { ...member, metadata: { ...member.metadata, __CHAR_VARCHAR_TYPE_STRING: charText } }
}

function readDecimal(reader: TokenReader): DataType {
  if (!reader.takeOperator('(')) return decimalType(10, 0)
  const { start } = reader.peek()
  const precision = reader.expectInteger('the precision')
  const scale = reader.takeOperator(',') ? reader.expectInteger('the scale') : 0
  reader.expectOperator(')')
  if (scale > precision) throw reader.error(start, '_LEGACY_ERROR_TEMP_1228', { scale, precision })
  if (precision > 38) throw reader.error(start, 'DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION', { precision })
  return decimalType(precision, scale)
}

function readChar(reader: TokenReader, name: 'char' | 'varchar'): ParsedType {
  reader.expectOperator('(')
  const length = reader.expectInteger('the length')
  reader.expectOperator(')')
  return { type: stringType, charText: `${name}(${length})` }
}

function readIntervalType(reader: TokenReader): IntervalType {
  const { kind, key } = reader.peek()
  if (kind !== 'word' || ['NOT', 'COMMENT', 'DEFAULT', 'GENERATED', 'FIRST', 'AFTER'].includes(key)) {
    reader.refuse('the type INTERVAL without fields', 'write INTERVAL DAY TO SECOND or INTERVAL YEAR TO MONTH')
    return intervalTypeOf('DAY', 'SECOND')!
  }
  const first = reader.expectName('YEAR, MONTH, DAY, HOUR, MINUTE or SECOND')
  const at = reader.peek().start
  const last = reader.takeWord('TO') ? reader.expectName('MONTH, HOUR, MINUTE or SECOND') : first
  const type = intervalTypeOf(first, last)
  if (type === undefined) throw reader.error(at, 'UNSUPPORTED_DATATYPE', { type: `INTERVAL ${first} TO ${last}` })
  return type
}
