/** Variants in typed columns, built by hand as Parquet, against what they mean. */
import { describe, expect, test } from 'vitest'
import {
  arrayType,
  binaryType,
  type DataType,
  decimalType,
  field,
  integerType,
  longType,
  stringType,
  structType,
  type Value,
  Variant,
  variantToJson,
} from '../schema/index.ts'
import { Decimal } from '../support/index.ts'
import { memoryFile, openParquet, ParquetWriter } from './index.ts'

/** `{"a": …}` names a, b and c; object values are written by hand below. */
const metadata = Uint8Array.of(0x01, 3, 0, 1, 2, 3, 0x61, 0x62, 0x63)
/** the object `{"c": 7}` */
const objectC = Uint8Array.of(0x02, 1, 2, 0, 2, 0x0c, 7)
const seven = Uint8Array.of(0x0c, 7)

const pair = (typed: DataType) => structType([field('value', binaryType), field('typed_value', typed)])

async function readVariant(typed: DataType, rows: readonly Value[]): Promise<(string | null)[]> {
  const stored = structType([field('metadata', binaryType), ...pair(typed).fields])
  const writer = new ParquetWriter(structType([field('v', stored)]))
  writer.writeRowGroup([rows])
  const reader = await openParquet(memoryFile('f', writer.finish()))
  const [values] = await reader.readRowGroup(0, [field('v', { kind: 'variant' })])
  return values!.map((value) => (value === null ? null : variantToJson(value as Variant)))
}

describe('a shredded variant', () => {
  test('is its typed value, else its own bytes, else a variant null', async () => {
    const rows = [[metadata, null, 5n], [metadata, seven, null], [metadata, null, null], null]
    expect(await readVariant(longType, rows)).toEqual(['5', '7', 'null', null])
  })

  test('keeps texts of any length and exact decimals', async () => {
    const long = 'é'.repeat(100)
    expect(await readVariant(stringType, [[metadata, null, long]])).toEqual([`"${long}"`])
    const wide = new Decimal(-(10n ** 37n) - 1n, 0)
    expect(await readVariant(decimalType(38, 0), [[metadata, null, wide]])).toEqual([wide.toString()])
  })

  test('joins typed fields with those that were left in its bytes, by name', async () => {
    const typed = structType([field('b', pair(stringType)), field('a', pair(integerType))])
    const rows = [
      [
        metadata,
        objectC,
        [
          [null, 'x'],
          [null, 1],
        ],
      ],
      [
        metadata,
        null,
        [
          [null, null],
          [seven, null],
        ],
      ],
      [metadata, seven, null],
    ]
    expect(await readVariant(typed, rows)).toEqual(['{"a":1,"b":"x","c":7}', '{"a":7}', '7'])
  })

  test('is an array whose elements are typed or not', async () => {
    const rows = [
      [
        metadata,
        null,
        [
          [null, 1],
          [seven, null],
          [null, null],
        ],
      ],
      [metadata, null, []],
    ]
    expect(await readVariant(arrayType(pair(integerType)), rows)).toEqual(['[1,7,null]', '[]'])
  })

  test('that is stored twice, or has a field without a name, is an error', async () => {
    await expect(readVariant(longType, [[metadata, seven, 5n]])).rejects.toThrow(/stored twice/)
    const typed = structType([field('z', pair(integerType))])
    await expect(readVariant(typed, [[metadata, null, [[null, 1]]]])).rejects.toThrow(/does not name/)
  })
})

test('a variant that is not shredded is written and read as its two binaries', async () => {
  const writer = new ParquetWriter(structType([field('v', { kind: 'variant' })]))
  writer.writeRowGroup([[new Variant(metadata, objectC), null, new Variant(metadata, Uint8Array.of(0))]])
  const reader = await openParquet(memoryFile('f', writer.finish()))
  const [values] = await reader.readRowGroup(0, [field('v', { kind: 'variant' })])
  expect(values).toEqual([new Variant(metadata, objectC), null, new Variant(metadata, Uint8Array.of(0))])
})
