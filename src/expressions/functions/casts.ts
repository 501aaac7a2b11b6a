/** Types as functions: `int('7')` is `CAST('7' AS INT)`. */
import {
  binaryType,
  booleanType,
  byteType,
  type DataType,
  dateType,
  decimalType,
  doubleType,
  floatType,
  integerType,
  longType,
  shortType,
  stringType,
  timestampType,
} from '../../schema/index.ts'
import { equalTypes } from '../bind/coercion.ts'
import { checkCast } from '../cast/rules.ts'
import type { FunctionEntry } from './entry.ts'

const TYPES: readonly (readonly [string, DataType])[] = [
  ['boolean', booleanType],
  ['tinyint', byteType],
  ['smallint', shortType],
  ['int', integerType],
  ['bigint', longType],
  ['float', floatType],
  ['double', doubleType],
  ['decimal', decimalType(10, 0)],
  ['date', dateType],
  ['timestamp', timestampType],
  ['binary', binaryType],
  ['string', stringType],
]

export const castFunctions: readonly FunctionEntry[] = TYPES.map(([name, type]) => ({
  name,
  arity: [1, 1],
  bind([value]) {
    checkCast(value!.type, type, false)
    return equalTypes(value!.type, type) ? value! : { kind: 'cast', child: value!, type, safe: false }
  },
}))
