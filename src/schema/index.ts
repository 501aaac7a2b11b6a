export { type CharShape, charShape } from './char-shape.ts'
export { parseSchema, printSchema, typeFromJson, typeToJson } from './json.ts'
export { deltaTypeName, formatType } from './type-text.ts'
export {
  type ArrayType,
  arrayType,
  binaryType,
  booleanType,
  byteType,
  type DataType,
  type DecimalType,
  dateType,
  decimalType,
  doubleType,
  field,
  findField,
  floatType,
  foldCase,
  integerType,
  isIntegral,
  isNested,
  isNumeric,
  longType,
  type MapType,
  mapType,
  type PrimitiveName,
  type PrimitiveType,
  type StructField,
  type StructType,
  sameType,
  shortType,
  stringType,
  structType,
  type TypeKind,
  timestampNtzType,
  timestampType,
  variantType,
  voidType,
} from './types.ts'
export { type MapEntry, type Row, type Value, Variant } from './value.ts'
export { doubleToText, rowToJson, valueToJson, valueToText } from './value-json.ts'
export { variantToJson } from './variant.ts'
export { variantOf } from './variant-encode.ts'
