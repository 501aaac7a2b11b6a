/** Cases about files whose columns have other types than their table's. */
import type { AddFile } from '../../kernel/index.ts'
import {
  arrayType,
  binaryType,
  booleanType,
  type DataType,
  dateType,
  decimalType,
  doubleType,
  field,
  floatType,
  integerType,
  longType,
  mapType,
  stringType,
  structType,
  timestampNtzType,
  timestampType,
  type Value,
} from '../../schema/index.ts'
import { Decimal, encodeUtf8 } from '../../support/index.ts'
import type { WrittenFile } from '../engine.ts'
import {
  addOf,
  type Check,
  type EngineSubject,
  equal,
  layoutOf,
  rejects,
  scanPlan,
  scanTexts,
  writeRows,
} from './ground.ts'

/** Rows of a column written as one type and read as another; without statistics nothing vouches for the file. */
async function readAs(
  subject: EngineSubject,
  { stored, values, type }: { stored: DataType; values: readonly Value[]; type: DataType },
  statistics: 'with statistics' | 'without',
): Promise<string[]> {
  const { files } = await writeRows(
    subject,
    layoutOf([field('x', stored)]),
    values.map((value) => [value]),
  )
  const adds = files.map((file) => (statistics === 'without' ? bareAdd(file) : addOf(file)))
  return await scanTexts(subject.engine, scanPlan(subject, layoutOf([field('x', type)]), adds))
}

function bareAdd(file: WrittenFile): AddFile {
  const { stats: _, ...add } = addOf(file)
  return add
}

const BOTH = ['with statistics', 'without'] as const
const inList = (type: DataType) => arrayType(structType([field('a', type)]))

const REFUSED: readonly (readonly [DataType, Value, DataType])[] = [
  [doubleType, 1.5, longType],
  [doubleType, 1.1, floatType],
  [doubleType, 1.15, decimalType(5, 1)],
  [longType, 9007199254740993n, doubleType],
  [longType, 5n, stringType],
  [longType, 1n, booleanType],
  [booleanType, true, longType],
  [stringType, '5', longType],
  [decimalType(5, 2), new Decimal(155n, 2), decimalType(10, 1)],
  [decimalType(5, 2), new Decimal(155n, 2), longType],
  [timestampType, 1n, dateType],
  [dateType, 1, timestampType],
  [inList(doubleType), [[1.5]], inList(longType)],
  [arrayType(longType), [1n], mapType(longType, longType)],
  [longType, 1n, structType([field('a', longType)])],
]

const TEXT = 'é\\x41'

export const contractTypes: readonly Check[] = [
  ...REFUSED.map(([stored, value, type]): Check => {
    return [
      `${JSON.stringify(stored)} is not read as ${JSON.stringify(type)}`,
      async (subject) => {
        for (const statistics of BOTH) {
          const read = () => readAs(subject, { stored, values: [value], type }, statistics)
          await rejects('FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH', read)
        }
      },
    ]
  }),
  [
    'bytes are read as the text they are, and text as its bytes, at every depth',
    async (subject) => {
      const bytes = encodeUtf8(TEXT)
      const base64 = 'w6lceDQx'
      for (const statistics of BOTH) {
        const text = await readAs(subject, { stored: binaryType, values: [bytes, null], type: stringType }, statistics)
        equal(text, [`{"x":${JSON.stringify(TEXT)}}`, '{"x":null}'], 'text of bytes')
        const raw = await readAs(subject, { stored: stringType, values: [TEXT], type: binaryType }, statistics)
        equal(raw, [`{"x":"${base64}"}`], 'bytes of text')
        const deep = { stored: inList(binaryType), values: [[[bytes], null]], type: inList(stringType) }
        equal(await readAs(subject, deep, statistics), [`{"x":[{"a":${JSON.stringify(TEXT)}},null]}`], 'below a list')
      }
    },
  ],
  [
    'narrower types are widened, whether statistics vouch for the file or not',
    async (subject) => {
      for (const statistics of BOTH) {
        const widened = async (stored: DataType, value: Value, type: DataType) =>
          (await readAs(subject, { stored, values: [value], type }, statistics))[0]
        equal(await widened(integerType, 7, longType), '{"x":7}', 'integer as long')
        equal(await widened(integerType, 7, doubleType), '{"x":7}', 'integer as double')
        equal(await widened(longType, 7n, decimalType(20, 1)), '{"x":7.0}', 'long as decimal')
        equal(await widened(dateType, 1, timestampNtzType), '{"x":"1970-01-02T00:00:00"}', 'date as timestamp_ntz')
      }
    },
  ],
]
