/** Cases about raw text: records that fit, records that do not, the steps of a route. */
import { bindExpression, bindPredicate, parseExpression } from '../../expressions/index.ts'
import {
  booleanType,
  dateType,
  decimalType,
  doubleType,
  field,
  integerType,
  longType,
  stringType,
  structType,
  timestampType,
} from '../../schema/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import type { RejectedRecord, TextSource } from '../engine.ts'
import { addOf, type Check, type EngineSubject, equal, layoutOf, pages, planOf, scanPlan, scanTexts } from './ground.ts'

const record = structType([
  field('id', longType),
  field('name', stringType),
  field('price', decimalType(10, 2)),
  field('ratio', doubleType),
  field('ok', booleanType),
  field('day', dateType),
  field('at', timestampType),
  field('s', structType([field('x', integerType)])),
])

/** Writes text into a table of the source's own columns. @returns rows and rejects as text */
async function writeText(
  subject: EngineSubject,
  source: Omit<TextSource, 'kind' | 'chunks' | 'onReject'> & { readonly chunks: readonly string[] },
  fields = source.schema.fields,
) {
  const rejected: RejectedRecord[] = []
  const layout = layoutOf(fields)
  const result = await subject.engine.write(
    {
      ...source,
      kind: 'text',
      chunks: pages(...source.chunks.map(encodeUtf8)),
      onReject: (records) => rejected.push(...records),
    },
    planOf(subject.store, layout),
  )
  const files = result.files.map((file) => addOf(file))
  const rows = await scanTexts(subject.engine, scanPlan(subject, layout, files))
  const { numRows, numFiltered, numRejected, numIgnoredFields } = result
  equal(numRejected, rejected.length, 'the count of rejected records')
  rejected.sort((a, b) => a.index - b.index)
  return { rows, rejected, numRows, numFiltered, numIgnoredFields }
}

export const contractText: readonly Check[] = [
  [
    'records become rows: absent members are null, unknown ones are passed over, long integers are exact',
    async (subject) => {
      const { rows, rejected } = await writeText(subject, {
        format: 'ndjson',
        schema: record,
        chunks: [
          '{"id":9007199254740993,"name":"a\\u00e9","price":"12.50","ratio":0.5,"ok":true,"day":"2024-02-29",' +
            '"at":"2024-02-29T12:00:00.000001Z","s":{"x":1},"other":1}\n{"s":{}}\n',
          '{"id":-1,"name":"","ratio":1,"at":"2024-02-29 12:00:00"}',
        ],
      })
      equal(rejected, [], 'rejected')
      equal(
        rows,
        [
          '{"id":9007199254740993,"name":"aé","price":12.50,"ratio":0.5,"ok":true,"day":"2024-02-29","at":"2024-02-29T12:00:00.000001Z","s":{"x":1}}',
          '{"id":null,"name":null,"price":null,"ratio":null,"ok":null,"day":null,"at":null,"s":{"x":null}}',
          '{"id":-1,"name":"","price":null,"ratio":1,"ok":null,"day":null,"at":"2024-02-29T12:00:00Z","s":null}',
        ],
        'the rows',
      )
    },
  ],
  [
    'records that do not fit are rejected with their text, their place and the column, and stop nothing',
    async (subject) => {
      const bad = ['{"id":"x"}', '{"id":1', '{"id":99999999999999999999}', '[1]', '{"day":"2023-02-29"}']
      const { rows, rejected, numRows } = await writeText(subject, {
        format: 'ndjson',
        schema: record,
        chunks: [`{"id":1}\n${bad[0]}\n${bad[1]}\n`, `${bad[2]}\n{"id":2}\n${bad[3]}\n${bad[4]}\n`],
      })
      equal(
        rows.map((row) => /"id":(\w+)/.exec(row)?.[1]),
        ['1', '2'],
        'the rows',
      )
      equal(numRows, 2, 'the count of rows')
      equal(
        rejected.map(({ text, index }) => [text, index]),
        [
          [bad[0], 1],
          [bad[1], 2],
          [bad[2], 3],
          [bad[3], 5],
          [bad[4], 6],
        ],
        'rejected',
      )
      equal(
        [0, 2].map((i) => rejected[i]!.reason.includes('id')),
        [true, true],
        'the reasons name the column',
      )
      equal(rejected[4]!.reason.includes('day'), true, 'the reason names the column')
    },
  ],
  [
    'fields that are no columns are counted, at any depth, or their record is rejected',
    async (subject) => {
      const schema = structType([field('id', longType), field('s', structType([field('x', integerType)]))])
      const json = {
        format: 'ndjson',
        schema,
        chunks: ['{"id":1,"a":2}\n{"id":3,"a":{"b":1}}\n{"s":{"x":1,"y":2},"a":"\\u0000"}\n{"ID":4}\n'],
      } as const
      const csv = {
        format: 'csv',
        schema: structType([field('id', longType)]),
        csv: { header: true, delimiter: ',' },
        chunks: ['a,id,b\nx,1,y\n,2,\n'],
      } as const
      const taken = await writeText(subject, json)
      equal([taken.numIgnoredFields, taken.numRows], [4, 4], 'the counts of JSON')
      equal((await writeText(subject, csv)).numIgnoredFields, 4, 'the count of CSV')
      const strict = await writeText(subject, { ...json, unknownFields: 'reject' })
      equal([strict.rows.length, strict.numIgnoredFields], [1, 0], 'the counts where they are rejected')
      equal(
        strict.rejected.map(({ index, reason }) => [index, reason]),
        ['a', 'a', 's.y'].map((path, i) => [i, `the record has the field ${path}, which is no column`]),
        'rejected',
      )
      const { rejected } = await writeText(subject, { ...csv, unknownFields: 'reject' })
      equal(rejected.length, 2, 'rejected CSV')
    },
  ],
  [
    'a route filters and computes',
    async (subject) => {
      const schema = structType([field('id', longType), field('name', stringType)])
      const expression = (text: string) => bindExpression(parseExpression(text), schema)
      const { rows, numFiltered } = await writeText(
        subject,
        {
          format: 'ndjson',
          schema,
          chunks: ['{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n{"name":"c"}\n'],
          filter: bindPredicate('id > 1', schema),
          select: [
            { name: 'twice', expression: expression('id * 2') },
            { name: 'name', expression: expression('upper(name)') },
          ],
        },
        [field('twice', longType), field('name', stringType)],
      )
      equal([rows, numFiltered], [['{"twice":4,"name":"B"}'], 2], 'rows and count')
    },
  ],
  [
    'CSV: columns by header, quoted fields, empty is null and quoted empty is not',
    async (subject) => {
      const schema = structType([field('id', integerType), field('name', stringType)])
      const { rows, rejected } = await writeText(subject, {
        format: 'csv',
        schema,
        csv: { header: true, delimiter: ';', nullText: 'NULL' },
        chunks: ['name;id\n"a;b\n""c""";1\n;2\n', '"";3\nNULL;4\nx;y\n'],
      })
      equal(
        rows,
        ['{"id":1,"name":"a;b\\n\\"c\\""}', '{"id":2,"name":null}', '{"id":3,"name":""}', '{"id":4,"name":null}'],
        'the rows',
      )
      equal(
        rejected.map(({ text, index }) => [text, index]),
        [['x;y', 4]],
        'rejected',
      )
    },
  ],
]
