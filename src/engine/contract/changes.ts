/** Cases about what DELETE, UPDATE and MERGE stand on: rows found by position, rows copied with computed columns. */
import { type BoundExpression, bindExpression, bindPredicate, parseExpression } from '../../expressions/index.ts'
import { RowSet, type ScanFile, writeDeletionVectors } from '../../kernel/index.ts'
import {
  arrayType,
  field,
  integerType,
  longType,
  mapType,
  type Row,
  type StructType,
  stringType,
  structType,
} from '../../schema/index.ts'
import type { NamedExpression, ScanPlan, WritePlan } from '../engine.ts'
import {
  addOf,
  type Check,
  type EngineSubject,
  equal,
  keysOf,
  layoutOf,
  planOf,
  rejects,
  scanPlan,
  scanTexts,
  writeRows,
} from './ground.ts'

const numbers = layoutOf([field('n', integerType), field('text', stringType), field('p', integerType)], {
  partitionColumns: ['p'],
})

/** A file for each p, of n from 0 on; every seventh n is null. */
async function writeNumbers(subject: EngineSubject, sizes: readonly number[]): Promise<ScanFile[]> {
  const files: ScanFile[] = []
  for (const [p, size] of sizes.entries()) {
    const rows = Array.from({ length: size }, (_, n): Row => [n % 7 === 6 ? null : n, `t${n % 3}`, p])
    const written = await writeRows(subject, numbers, rows)
    files.push(...written.files.map((file) => addOf(file)))
  }
  return files
}

async function found(subject: EngineSubject, files: readonly ScanFile[], where: string) {
  const { engine, store } = subject
  const plan = { store, layout: numbers, files, filter: bindPredicate(where, numbers.schema) }
  const result: [number, number[]][] = []
  for await (const { file, rows } of engine.findRows(plan)) {
    const positions = [...rows.positions()]
    equal(rows.size, positions.length, 'the size of the rows found')
    result.push([files.indexOf(file), positions])
  }
  return result
}

/** Whole rows of the numbers 0 to size - 1 that pass, as the filter should find them. */
function expected(size: number, passes: (n: number) => boolean): number[] {
  return Array.from({ length: size }, (_, n) => n).filter((n) => n % 7 !== 6 && passes(n))
}

function named(columns: Readonly<Record<string, string>>, schema: StructType): NamedExpression[] {
  return Object.entries(columns).map(([name, text]) => ({
    name,
    expression: bindExpression(parseExpression(text), schema),
  }))
}

/** The rows of a copy, as texts. */
async function copy(
  subject: EngineSubject,
  plan: ScanPlan,
  select: readonly NamedExpression[],
  write: Partial<WritePlan> & Pick<WritePlan, 'layout'>,
): Promise<string[]> {
  const target = planOf(subject.store, write.layout, write)
  const { files } = await subject.engine.write({ kind: 'scan', plan, select }, target)
  const adds = files.map((file) => addOf(file))
  return (await scanTexts(subject.engine, scanPlan(subject, write.layout, adds))).sort()
}

const pair = structType([field('x', integerType), field('y', stringType)])
const nested = layoutOf([
  field('id', integerType),
  field('s', pair),
  field('list', arrayType(integerType)),
  field('map', mapType(stringType, integerType)),
])
const nestedRows: readonly Row[] = [
  [1, [1, 'a'], [1, null], [{ key: 'k', value: 1 }]],
  [2, null, null, null],
  [3, [null, null], [], []],
]

export const contractChanges: readonly Check[] = [
  [
    'findRows gives physical positions by file, only where the filter is TRUE',
    async (subject) => {
      const files = await writeNumbers(subject, [10, 20, 5])
      equal(
        await found(subject, files, 'n > 7'),
        [
          [0, expected(10, (n) => n > 7)],
          [1, expected(20, (n) => n > 7)],
        ],
        'n',
      )
      equal(
        await found(subject, files, 'NOT (n > 7)'),
        [
          [0, expected(10, (n) => n <= 7)],
          [1, expected(20, (n) => n <= 7)],
          [2, expected(5, () => true)],
        ],
        'not n',
      )
      equal(await found(subject, files, 'n IS NULL AND p = 1'), [[1, [6, 13]]], 'null')
      equal(await found(subject, files, 'p = 2'), [[2, [0, 1, 2, 3, 4]]], 'partition column')
      equal(await found(subject, files, 'n < 0'), [], 'none')
      equal(await found(subject, [], 'n < 0'), [], 'no file')
    },
  ],
  [
    'findRows goes on past 65,536 rows',
    async (subject) => {
      const files = await writeNumbers(subject, [150_000])
      const wanted = [0, 65_535, 65_536, 131_071, 131_072, 149_999]
      equal(await found(subject, files, `n IN (${wanted.join(', ')})`), [[0, wanted.filter((n) => n % 7 !== 6)]], 'few')
      const [many] = await found(subject, files, 'n >= 10')
      equal(many![1].length, expected(150_000, (n) => n >= 10).length, 'the number of many')
    },
  ],
  [
    'findRows leaves out what a deletion vector hides and counts it in positions',
    async (subject) => {
      const [whole] = await writeNumbers(subject, [20])
      const { descriptors } = await writeDeletionVectors(subject.store, [RowSet.of([0, 3, 8, 9])])
      const file = { ...whole!, deletionVector: descriptors[0]! }
      equal(await found(subject, [file], 'n < 12'), [[0, [1, 2, 4, 5, 7, 10, 11]]], 'positions')
    },
  ],
  [
    'findRows evaluates a filter that has no SQL form',
    async (subject) => {
      const files = await writeNumbers(subject, [10, 10])
      const where = `exists(array(n, p), x -> x = 1)`
      equal(
        await found(subject, files, where),
        [
          [0, [1]],
          [
            1,
            expected(10, () => true)
              .concat([6])
              .sort((a, b) => a - b),
          ],
        ],
        'positions',
      )
    },
  ],
  [
    'findRows raises the error of an expression',
    async (subject) => {
      const files = await writeNumbers(subject, [10])
      await rejects('CAST_INVALID_INPUT', () => found(subject, files, 'CAST(text AS INT) = 1'))
    },
  ],
  [
    'findRows on an aborted call is LAKE_CANCELLED',
    async (subject) => {
      const { engine, store } = subject
      const files = await writeNumbers(subject, [3])
      const abort = new AbortController()
      abort.abort()
      const plan = { store, layout: numbers, files, filter: bindPredicate('n = 1', numbers.schema) }
      await rejects('LAKE_CANCELLED', async () => {
        for await (const _ of engine.findRows(plan, { signal: abort.signal }));
      })
    },
  ],
  [
    'a copy computes columns for the rows the filter passes',
    async (subject) => {
      const files = await writeNumbers(subject, [4])
      const plan = scanPlan(subject, numbers, files, { filter: bindPredicate('n >= 1', numbers.schema), columns: [] })
      const select = named(
        { p: 'p + 1', text: "concat(text, '!')", n: 'CASE WHEN n = 2 THEN NULL ELSE n END' },
        numbers.schema,
      )
      equal(
        await copy(subject, plan, select, { layout: numbers }),
        ['{"n":1,"text":"t1!","p":1}', '{"n":3,"text":"t0!","p":1}', '{"n":null,"text":"t2!","p":1}'],
        'the rows',
      )
    },
  ],
  [
    'a copied expression is not looked at for rows that a filter or a CASE leaves out',
    async (subject) => {
      const files = await writeNumbers(subject, [4])
      const failing = '10 div (n - 2)'
      const target = layoutOf([field('q', longType)])
      const select = named({ q: `CASE WHEN n <> 2 THEN ${failing} ELSE 0 END` }, numbers.schema)
      const all = scanPlan(subject, numbers, files)
      equal(
        await copy(subject, all, select, { layout: target }),
        ['{"q":-10}', '{"q":-5}', '{"q":0}', '{"q":10}'],
        'rows',
      )
      const bare = named({ q: failing }, numbers.schema)
      const some = { ...all, filter: bindPredicate('n < 2', numbers.schema) }
      equal(await copy(subject, some, bare, { layout: target }), ['{"q":-10}', '{"q":-5}'], 'filtered')
      const before = await keysOf(subject.store)
      await rejects('DIVIDE_BY_ZERO', () => copy(subject, all, bare, { layout: target }))
      equal(await keysOf(subject.store), before, 'objects in the store after a copy that failed')
    },
  ],
  [
    'a copy keeps nested values, with column mapping too, and makes structs',
    async (subject) => {
      const mapped = layoutOf(
        [
          field('id', integerType, true, { 'delta.columnMapping.id': 1, 'delta.columnMapping.physicalName': 'c-1' }),
          field(
            's',
            structType([
              field('x', integerType, true, { 'delta.columnMapping.id': 3, 'delta.columnMapping.physicalName': 'c-3' }),
              field('y', stringType, true, { 'delta.columnMapping.id': 4, 'delta.columnMapping.physicalName': 'c-4' }),
            ]),
            true,
            { 'delta.columnMapping.id': 2, 'delta.columnMapping.physicalName': 'c-2' },
          ),
        ],
        { columnMapping: 'name' },
      )
      for (const layout of [nested, mapped]) {
        const width = layout.schema.fields.length
        const written = await writeRows(
          subject,
          layout,
          nestedRows.map((row) => row.slice(0, width)),
        )
        const plan = scanPlan(
          subject,
          layout,
          written.files.map((file) => addOf(file)),
        )
        const whole = Object.fromEntries(layout.schema.fields.map(({ name }) => [name, name]))
        const kept = await copy(subject, plan, named(whole, layout.schema), { layout })
        equal(kept, (await scanTexts(subject.engine, plan)).sort(), 'copied as they are')
        const changed = named(
          { id: 'id', s: "CASE WHEN id < 3 THEN named_struct('x', id, 'y', s.y) ELSE s END" },
          layout.schema,
        )
        const flat = layoutOf(layout.schema.fields.slice(0, 2), { columnMapping: layout.columnMapping })
        equal(
          await copy(subject, plan, changed, { layout: flat }),
          ['{"id":1,"s":{"x":1,"y":"a"}}', '{"id":2,"s":{"x":2,"y":null}}', '{"id":3,"s":{"x":null,"y":null}}'],
          'changed',
        )
      }
    },
  ],
  [
    'files go below a directory and begin with a prefix where the plan says so',
    async (subject) => {
      const files = await writeNumbers(subject, [3])
      const { partitionColumns } = numbers
      const layout = layoutOf([...numbers.schema.fields, field('_change_type', stringType)], { partitionColumns })
      const kind: BoundExpression = { kind: 'literal', value: 'delete', type: stringType }
      const columns = named({ n: 'n', text: 'text', p: 'p' }, numbers.schema)
      const select = [...columns, { name: '_change_type', expression: kind }]
      const target = planOf(subject.store, layout, { directory: '_change_data', filePrefix: 'cdc-' })
      const source = { kind: 'scan', plan: scanPlan(subject, numbers, files), select } as const
      const written = await subject.engine.write(source, target)
      equal(
        written.files.map(({ key }) => key.replace(/cdc-.*/, 'cdc-')),
        ['_change_data/p=0/cdc-'],
        'the key',
      )
      const adds = written.files.map((file) => addOf(file))
      equal(
        await scanTexts(subject.engine, scanPlan(subject, layout, adds)),
        [
          '{"n":0,"text":"t0","p":0,"_change_type":"delete"}',
          '{"n":1,"text":"t1","p":0,"_change_type":"delete"}',
          '{"n":2,"text":"t2","p":0,"_change_type":"delete"}',
        ],
        'the rows',
      )
    },
  ],
]
