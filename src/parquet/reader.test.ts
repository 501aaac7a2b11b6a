import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDeltaError } from '../errors/index.ts'
import {
  arrayType,
  type DataType,
  dateType,
  decimalType,
  doubleType,
  field,
  floatType,
  integerType,
  longType,
  shortType,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
  type Value,
  voidType,
} from '../schema/index.ts'
import { Decimal } from '../support/index.ts'
import { FIELD_ID_KEY, groupStatistics, memoryFile, openParquet, type ParquetFile, ParquetWriter } from './index.ts'

function write(type: DataType, values: readonly Value[], keyValues = new Map<string, string>()) {
  const writer = new ParquetWriter(structType([field('x', type)]), { keyValues })
  writer.writeRowGroup([values])
  return writer.finish()
}

async function readAs(bytes: Uint8Array, type: DataType, name = 'x') {
  const reader = await openParquet(memoryFile('f.parquet', bytes))
  const [column] = await reader.readRowGroup(0, [field(name, type)])
  return column
}

describe('a column read as a wider type', () => {
  test.each<[DataType, Value, DataType, Value]>([
    [integerType, -5, longType, -5n],
    [shortType, 7, integerType, 7],
    [integerType, 7, doubleType, 7],
    [floatType, 0.5, doubleType, 0.5],
    [integerType, 7, decimalType(12, 2), new Decimal(700n, 2)],
    [longType, 7n, decimalType(20, 0), new Decimal(7n, 0)],
    [decimalType(5, 1), new Decimal(15n, 1), decimalType(30, 3), new Decimal(1500n, 3)],
    [dateType, -1, timestampNtzType, -86_400_000_000n],
  ])('%o %o as %o', async (stored, value, type, expected) => {
    expect(await readAs(write(stored, [value, null]), type)).toEqual([expected, null])
  })

  test.each<[DataType, Value, DataType]>([
    [longType, 1n, integerType],
    [doubleType, 1, floatType],
    [decimalType(5, 2), new Decimal(1n, 2), decimalType(5, 1)],
    [stringType, 'a', integerType],
    [timestampType, 1n, dateType],
    [integerType, 1, arrayType(integerType)],
    [arrayType(integerType), [1], structType([field('a', integerType)])],
  ])('%o %o as %o is refused by name', async (stored, value, type) => {
    await expect(readAs(write(stored, [value]), type)).rejects.toMatchObject({
      code: 'FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH',
      details: { column: 'x', file: 'f.parquet' },
    })
  })

  test('a value too large for its column is an error, not another value', async () => {
    await expect(readAs(write(integerType, [300]), { kind: 'byte' })).rejects.toThrow(/300 does not fit/)
    const wide = write(decimalType(5, 0), [new Decimal(10_000n, 0)])
    await expect(readAs(wide, decimalType(4, 0))).rejects.toThrow(/does not fit decimal\(4,0\)/)
  })
})

describe('columns', () => {
  test('that the file lacks are null, regardless of case they are found', async () => {
    const bytes = write(integerType, [1, 2])
    expect(await readAs(bytes, integerType, 'y')).toEqual([null, null])
    expect(await readAs(bytes, integerType, 'X')).toEqual([1, 2])
    expect(await readAs(bytes, voidType)).toEqual([null, null])
  })

  test('that differ by case alone are found as they are spelt, else by no one', async () => {
    const writer = new ParquetWriter(structType([field('ID', integerType), field('id', integerType)]))
    writer.writeRowGroup([[1], [2]])
    const bytes = writer.finish()
    expect(await readAs(bytes, integerType, 'id')).toEqual([2])
    await expect(readAs(bytes, integerType, 'Id')).rejects.toMatchObject({ code: 'FAILED_READ_FILE.NO_HINT' })
  })

  test('are found by field id at every depth, whatever their names', async () => {
    const withId = (name: string, id: number, type: DataType) => field(name, type, true, { [FIELD_ID_KEY]: id })
    const schema = structType([withId('a', 1, structType([withId('b', 2, integerType)])), withId('c', 3, integerType)])
    const writer = new ParquetWriter(schema)
    writer.writeRowGroup([[[5]], [6]])
    const reader = await openParquet(memoryFile('f', writer.finish()), { matchBy: 'id' })
    const wanted = [withId('c', 1, structType([withId('x', 2, integerType), withId('y', 9, integerType)]))]
    expect(await reader.readRowGroup(0, wanted)).toEqual([[[5, null]]])
  })

  test('without ids in a table that maps by id are refused', async () => {
    const reader = await openParquet(memoryFile('f', write(integerType, [1])), { matchBy: 'id' })
    const wanted = [field('x', integerType, true, { [FIELD_ID_KEY]: 1 })]
    await expect(reader.readRowGroup(0, wanted)).rejects.toMatchObject({ code: 'LAKE_PARQUET_UNSUPPORTED' })
  })

  test('fetch their own chunks alone', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `c${i}`)
    const writer = new ParquetWriter(structType(names.map((name) => field(name, stringType))), {
      compression: 'uncompressed',
    })
    const values = Array.from({ length: 2000 }, (_, i) => `${i} ${'x'.repeat(50)}`)
    writer.writeRowGroup(names.map(() => values))
    const bytes = writer.finish()
    const reads: number[] = []
    const file: ParquetFile = {
      ...memoryFile('f', bytes),
      read: async (start, end) => {
        reads.push(end - start)
        return bytes.subarray(start, end)
      },
    }
    const reader = await openParquet(file)
    expect(await reader.readRowGroup(0, [field('c7', stringType)])).toEqual([values])
    expect(reads).toHaveLength(2)
    expect(reads[1]).toBeLessThan(bytes.length / 15)
  })

  test('of a small file come with its footer', async () => {
    const bytes = write(integerType, [1, 2])
    let reads = 0
    const read = async (start: number, end: number) => {
      reads++
      return bytes.subarray(start, end)
    }
    const reader = await openParquet({ ...memoryFile('f', bytes), read })
    expect(await reader.readRowGroup(0, [field('x', integerType)])).toEqual([[1, 2]])
    expect(reads).toBe(1)
  })
})

describe('dates of the calendar before 1582', () => {
  const legacy = new Map([['org.apache.spark.legacyDateTime', '']])
  const code = 'INCONSISTENT_BEHAVIOR_CROSS_VERSION.READ_ANCIENT_DATETIME'

  test('are refused where the footer says an old writer counted them', async () => {
    await expect(readAs(write(dateType, [-141_428], legacy), dateType)).rejects.toMatchObject({ code })
    const old = new Map([['org.apache.spark.version', '2.4.8']])
    await expect(readAs(write(dateType, [-141_428], old), dateType)).rejects.toMatchObject({ code })
    await expect(readAs(write(timestampType, [-(10n ** 17n)], legacy), timestampType)).rejects.toMatchObject({ code })
  })

  test('later ones are read, and all where nothing is said', async () => {
    expect(await readAs(write(dateType, [-141_427, 0], legacy), dateType)).toEqual([-141_427, 0])
    expect(await readAs(write(dateType, [-700_000]), dateType)).toEqual([-700_000])
    const recent = new Map([['org.apache.spark.version', '4.1.4']])
    expect(await readAs(write(dateType, [-700_000], recent), dateType)).toEqual([-700_000])
  })
})

describe('statistics of a row group', () => {
  const statisticsOf = async (type: DataType, values: readonly Value[], name = 'x') => {
    const reader = await openParquet(memoryFile('f', write(type, values)))
    const statistics = groupStatistics(reader, reader.footer.rowGroups[0]!)
    const path = name.split('.')
    const leaf = type.kind === 'struct' ? type.fields[0]!.type : type
    const [min, max] = (['min', 'max'] as const).map((side) => statistics.bound(side, path, leaf))
    return { rows: statistics.numRecords, nulls: statistics.nullCount(path), min, max }
  }

  test('are exact for whole numbers, times and small decimals', async () => {
    expect(await statisticsOf(longType, [2n ** 60n + 1n, null, -1n])).toEqual({
      ...{ rows: 3n, nulls: 1n, min: -1n, max: 2n ** 60n + 1n },
    })
    expect(await statisticsOf(decimalType(9, 2), [new Decimal(-5n, 2), new Decimal(7n, 2)])).toMatchObject({
      ...{ min: new Decimal(-5n, 2), max: new Decimal(7n, 2) },
    })
  })

  test('of a member of a struct count the structs that are null', async () => {
    const struct = structType([field('a', integerType)])
    expect(await statisticsOf(struct, [[1], [null], null, [7]], 'x.a')).toEqual({ rows: 4n, nulls: 2n, min: 1, max: 7 })
  })

  test('are not given where they would prove nothing', async () => {
    expect(await statisticsOf(doubleType, [Number.NaN])).toMatchObject({ min: undefined, max: undefined })
    expect(await statisticsOf(integerType, [null])).toMatchObject({ nulls: 1n, min: undefined })
    expect(await statisticsOf(arrayType(integerType), [[1, 2]], 'x')).toMatchObject({
      nulls: undefined,
      min: undefined,
    })
    expect(await statisticsOf(integerType, [1], 'y')).toMatchObject({ nulls: undefined, min: undefined })
  })
})

describe('a damaged file', () => {
  const schema = structType([
    field('a', longType),
    field('b', stringType),
    field('c', arrayType(structType([field('d', decimalType(20, 3)), field('e', doubleType)]))),
  ])
  const writer = new ParquetWriter(schema)
  const rows = Array.from({ length: 100 }, (_, i) => i)
  writer.writeRowGroup([
    rows.map((i) => (i % 3 === 0 ? null : BigInt(i))),
    rows.map((i) => `text ${i % 10}`),
    rows.map((i) => (i % 5 === 0 ? null : Array.from({ length: i % 4 }, () => [new Decimal(BigInt(i), 3), i / 2]))),
  ])
  const whole = writer.finish()

  async function attempt(bytes: Uint8Array): Promise<void> {
    try {
      const reader = await openParquet(memoryFile('f', bytes))
      for (let i = 0; i < reader.footer.rowGroups.length; i++) await reader.readRowGroup(i, schema.fields)
    } catch (error) {
      if (!isDeltaError(error)) throw error
    }
  }

  test('is read or is a coded error, wherever bytes change', async () => {
    const change = fc.record({ at: fc.nat({ max: whole.length - 1 }), byte: fc.nat({ max: 255 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const bytes = whole.slice()
        for (const { at, byte } of changes) bytes[at] = byte
        await attempt(bytes)
      }),
      { numRuns: 1500 },
    )
  })

  test('is a coded error where a text is not UTF-8, which is no other text', async () => {
    const bytes = write(stringType, ['p=2/part'])
    const at = Buffer.from(bytes).indexOf('p=2/part')
    bytes[at + 2] = 0xd3
    const reader = await openParquet(memoryFile('f', bytes))
    await expect(reader.readRowGroup(0, [field('x', stringType)])).rejects.toMatchObject({
      code: 'FAILED_READ_FILE.NO_HINT',
      message: expect.stringContaining('not UTF-8'),
    })
  })

  test('is a coded error where its row groups hold fewer rows than its footer says', async () => {
    // field num_rows of FileMetaData, 100 as a zigzag varint, and the list of row groups behind it
    const at = Buffer.from(whole).indexOf(Buffer.from([0x16, 0xc8, 0x01, 0x19]))
    const changed = whole.slice()
    changed[at + 1] = 0xca
    expect(at).toBeGreaterThan(0)
    await expect(openParquet(memoryFile('f', changed))).rejects.toThrow('its footer speaks of 101 rows')
  })

  test('is a coded error wherever it is cut off', async () => {
    for (let length = 0; length < whole.length; length += 7) {
      await expect(openParquet(memoryFile('f', whole.subarray(0, length)))).rejects.toMatchObject({
        code: 'FAILED_READ_FILE.NO_HINT',
      })
    }
  })
})
