/** Cases about what a plan does to the rows it writes: columns worked out, numbers given out, conditions tried. */
import { deltaError } from '../../errors/index.ts'
import { type BoundExpression, bindExpression, bindPredicate, parseExpression } from '../../expressions/index.ts'
import type { TableLayout } from '../../kernel/index.ts'
import {
  dateType,
  doubleType,
  field,
  integerType,
  longType,
  type Row,
  stringType,
  structType,
  timestampType,
  type Value,
} from '../../schema/index.ts'
import { encodeUtf8 } from '../../support/index.ts'
import type { ComputedColumn, RowCheck, RowSource, WritePlan } from '../engine.ts'
import {
  addOf,
  type Check,
  type EngineSubject,
  equal,
  keysOf,
  layoutOf,
  pages,
  planOf,
  rejects,
  scanPlan,
  scanTexts,
  writeRows,
} from './ground.ts'

const orders = layoutOf([
  field('id', integerType),
  field('price', doubleType),
  field('s', structType([field('a', integerType), field('b', stringType)])),
])

function columnOf(text: string, { schema }: TableLayout): RowCheck['shown'][number] {
  const bound = bindExpression(parseExpression(text), schema)
  if (bound.kind !== 'column') throw new Error(`${text} is a column`)
  return bound
}

function checkOf(text: string, shown: readonly string[], layout: TableLayout): RowCheck {
  return {
    condition: bindPredicate(text, layout.schema),
    shown: shown.map((column) => columnOf(column, layout)),
    violation: (values: readonly Value[]) => deltaError('LAKE_USAGE', { problem: `broken by ${values.join(' ')}` }),
  }
}

function computedOf(column: string, text: string, { schema }: TableLayout): ComputedColumn {
  const ordinal = schema.fields.findIndex(({ name }) => name === column)
  return { ordinal, value: bindExpression(parseExpression(text), schema) as BoundExpression }
}

/** Writes and reads again. */
async function written(
  subject: EngineSubject,
  source: RowSource,
  layout: TableLayout,
  options: Partial<WritePlan>,
): Promise<string[]> {
  const { files } = await subject.engine.write(source, planOf(subject.store, layout, options))
  const plan = scanPlan(
    subject,
    layout,
    files.map((file) => addOf(file)),
  )
  return (await scanTexts(subject.engine, plan)).sort()
}

function rowsOf(fields: TableLayout['schema']['fields'], ...rows: readonly Row[]): RowSource {
  return { kind: 'rows', schema: structType(fields), rows: pages(rows) }
}

async function rejectsWith(message: RegExp, work: () => Promise<unknown>): Promise<void> {
  let text = 'an answer'
  await work().catch((error: unknown) => {
    text = error instanceof Error ? error.message : String(error)
  })
  if (!message.test(text)) throw new Error(`expected ${message}, got ${text}`)
}

export const contractRules: readonly Check[] = [
  [
    'a row that breaks a check fails the write with the values of that row, and leaves no file',
    async (subject) => {
      const checks = [checkOf('price > 0', ['price', 's.b'], orders)]
      const rows = [...Array.from({ length: 3000 }, (_, i): Row => [i, i + 1, null]), [9, -1.5, [1, 'x']]]
      await rejectsWith(/broken by -1.5 x/, () => writeRows(subject, orders, rows, { checks }))
      equal(await keysOf(subject.store), [], 'objects in the store')
    },
  ],
  [
    'a check that is NULL is broken, one that is TRUE for every row is not',
    async (subject) => {
      const checks = [checkOf('price > 0', ['price'], orders)]
      await rejectsWith(/broken by $/, () => writeRows(subject, orders, [[1, null, null]], { checks }))
      const { numRows } = await writeRows(subject, orders, [[1, 2, null]], { checks })
      equal(numRows, 1, 'rows')
    },
  ],
  [
    'checks are tried in their order, behind NOT NULL',
    async (subject) => {
      const layout = layoutOf([field('id', integerType, false), field('price', doubleType)])
      const checks = [checkOf('id > 0', ['id'], layout), checkOf('price > 0', ['price'], layout)]
      await rejectsWith(/broken by -1$/, () => writeRows(subject, layout, [[-1, -2]], { checks }))
      await rejects('DELTA_NOT_NULL_CONSTRAINT_VIOLATED', () => writeRows(subject, layout, [[null, -2]], { checks }))
    },
  ],
  [
    'a check that an expression of no simple form makes is tried all the same',
    async (subject) => {
      const checks = [checkOf("transform(array(id), x -> x + 1)[0] > 1 AND s.b RLIKE '^a'", ['id', 's.b'], orders)]
      await rejectsWith(/broken by 5 b$/, () => writeRows(subject, orders, [[5, 1, [1, 'b']]], { checks }))
      equal((await writeRows(subject, orders, [[5, 1, [1, 'ab']]], { checks })).numRows, 1, 'rows')
    },
  ],
  [
    'a check whose expression fails on a row fails with that error',
    async (subject) => {
      const checks = [checkOf('10 / id > 1', ['id'], orders)]
      await rejects('DIVIDE_BY_ZERO', () => writeRows(subject, orders, [[0, 1, null]], { checks }))
      equal(await keysOf(subject.store), [], 'objects in the store')
    },
  ],
  [
    'columns the source lacks are worked out from the others, partition columns too',
    async (subject) => {
      const layout = layoutOf(
        [field('at', timestampType), field('day', dateType), field('twice', longType), field('id', longType)],
        { partitionColumns: ['day'] },
      )
      const source = rowsOf(
        [field('id', longType), field('at', timestampType)],
        [1n, 86_399_999_999n],
        [2n, 86_400_000_000n],
        [3n, null],
      )
      const computed = [computedOf('day', 'CAST(at AS DATE)', layout), computedOf('twice', 'id * 2', layout)]
      equal(
        await written(subject, source, layout, { computed }),
        [
          '{"at":"1970-01-01T23:59:59.999999Z","day":"1970-01-01","twice":2,"id":1}',
          '{"at":"1970-01-02T00:00:00Z","day":"1970-01-02","twice":4,"id":2}',
          '{"at":null,"day":null,"twice":6,"id":3}',
        ],
        'rows',
      )
    },
  ],
  [
    'a computed column may name one that is computed before it',
    async (subject) => {
      const layout = layoutOf([field('a', integerType), field('b', integerType), field('c', integerType)])
      const computed = [computedOf('c', 'a + 1', layout), computedOf('b', 'c * 2', layout)]
      const source = rowsOf([field('a', integerType)], [1], [null])
      equal(
        await written(subject, source, layout, { computed }),
        ['{"a":1,"b":4,"c":2}', '{"a":null,"b":null,"c":null}'],
        'rows',
      )
    },
  ],
  [
    'a column of no simple form is worked out all the same, and checked',
    async (subject) => {
      const layout = layoutOf([field('a', integerType), field('b', integerType, false), field('s', stringType)])
      const computed = [computedOf('b', 'transform(array(a), x -> x * 3)[0]', layout)]
      const source = () => rowsOf([field('a', integerType), field('s', stringType)], [2, 'x'], [null, 'y'])
      await rejects('DELTA_NOT_NULL_CONSTRAINT_VIOLATED', () => written(subject, source(), layout, { computed }))
      const first = rowsOf([field('a', integerType), field('s', stringType)], [2, 'x'])
      equal(await written(subject, first, layout, { computed }), ['{"a":2,"b":6,"s":"x"}'], 'rows')
    },
  ],
  [
    'raw text gets its computed columns and is checked, whole',
    async (subject) => {
      const layout = layoutOf([field('id', integerType), field('p', stringType)], { partitionColumns: ['p'] })
      const text = (json: string): RowSource => ({
        kind: 'text',
        format: 'ndjson',
        schema: structType([field('id', integerType)]),
        chunks: pages(encodeUtf8(json)),
        onReject: () => undefined,
      })
      const computed = [computedOf('p', "CASE WHEN id > 1 THEN 'big' ELSE 'small' END", layout)]
      const checks = [checkOf('id < 5', ['id', 'p'], layout)]
      equal(
        await written(subject, text('{"id":1}\n{"id":2}\n'), layout, { computed, checks }),
        ['{"id":1,"p":"small"}', '{"id":2,"p":"big"}'],
        'rows',
      )
      const bad = text('{"id":1}\n{"id":7}\n')
      await rejectsWith(/broken by 7 big/, () => written(subject, bad, layout, { computed, checks }))
    },
  ],
  [
    'numbers are given out without a gap in the order of rows, over several files, and where the source has null',
    async (subject) => {
      const layout = layoutOf([field('id', longType, false), field('v', integerType)], { partitionColumns: [] })
      const numbered = [{ ordinal: 0, start: 100n, step: -10n }]
      const source = rowsOf([field('v', integerType)], [1], [2], [3])
      equal(
        await written(subject, source, layout, { numbered }),
        ['{"id":100,"v":1}', '{"id":80,"v":3}', '{"id":90,"v":2}'],
        'rows',
      )
      const given = rowsOf(layout.schema.fields, [5n, 1], [null, 2])
      equal(await written(subject, given, layout, { numbered }), ['{"id":5,"v":1}', '{"id":90,"v":2}'], 'rows')
    },
  ],
  [
    'no number is given out twice where rows go into many partitions and files',
    async (subject) => {
      const layout = layoutOf([field('id', longType), field('p', integerType)], { partitionColumns: ['p'] })
      const rows = Array.from({ length: 5000 }, (_, i): Row => [i % 20])
      const source = rowsOf([field('p', integerType)], ...rows)
      const numbered = [{ ordinal: 0, start: 1n, step: 1n }]
      const { files } = await subject.engine.write(source, planOf(subject.store, layout, { numbered }))
      const plan = scanPlan(
        subject,
        layout,
        files.map((file) => addOf(file)),
      )
      const ids = (await scanTexts(subject.engine, plan)).map((text) => JSON.parse(text).id as number)
      equal(
        ids.sort((a, b) => a - b),
        rows.map((_, i) => i + 1),
        'numbers',
      )
    },
  ],
  [
    'numbers that leave the range of long fail the write',
    async (subject) => {
      const layout = layoutOf([field('id', longType), field('v', integerType)])
      const numbered = [{ ordinal: 0, start: 2n ** 63n - 1n, step: 1n }]
      await rejects('ARITHMETIC_OVERFLOW', () =>
        written(subject, rowsOf([field('v', integerType)], [1], [2]), layout, { numbered }),
      )
      equal(await keysOf(subject.store), [], 'objects in the store')
    },
  ],
  [
    'files of a plan with random prefixes lie in folders of so many characters, not in one a partition',
    async (subject) => {
      const layout = layoutOf([field('p', stringType), field('n', integerType)], { partitionColumns: ['p'] })
      const rows = Array.from({ length: 8 }, (_, i): Row => [`p${i}`, i])
      const { files } = await writeRows(subject, layout, rows, { randomPrefixLength: 20, directory: 'd' })
      equal(
        files.every(({ key }) => /^d\/[a-z0-9]{20}\/[^/]+\.parquet$/.test(key)),
        true,
        'keys',
      )
      equal(new Set(files.map(({ key }) => key.slice(0, 22))).size, 8, 'different folders')
    },
  ],
  [
    'no file holds more rows than the plan allows, in any partition, and none is lost',
    async (subject) => {
      const layout = layoutOf([field('p', integerType), field('n', integerType)], { partitionColumns: ['p'] })
      const rows = Array.from({ length: 50 }, (_, i): Row => [i % 3, i])
      const { files, numRows } = await writeRows(subject, layout, rows, { maxRecordsPerFile: 7 })
      const sizes = files.map(({ numRecords }) => numRecords)
      equal(sizes.sort(), [2, 3, 3, 7, 7, 7, 7, 7, 7], 'rows')
      equal(numRows, 50, 'rows written')
      const plan = scanPlan(
        subject,
        layout,
        files.map((file) => addOf(file)),
      )
      equal((await scanTexts(subject.engine, plan)).length, 50, 'rows read')
    },
  ],
]
