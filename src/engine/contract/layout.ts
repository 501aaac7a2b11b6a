/** Cases about rows sorted along a curve, and about what files really have. */
import { field, integerType, longType, type Row, stringType, structType } from '../../schema/index.ts'
import type { RowCurve } from '../engine.ts'
import {
  addOf,
  type Check,
  type EngineSubject,
  equal,
  layoutOf,
  planOf,
  scanPlan,
  scanTexts,
  writeRows,
} from './ground.ts'

const grid = layoutOf([field('x', integerType), field('s', structType([field('y', longType)]))])
const x = { kind: 'column', ordinals: [0], path: ['x'], type: integerType } as const
const y = { kind: 'column', ordinals: [1, 0], path: ['s', 'y'], type: longType } as const

/** Cells of a grid of 8 by 8, row by row. */
const cells: readonly Row[] = Array.from({ length: 64 }, (_, i) => [i % 8, [BigInt(i >> 3)]])

/** The rows of the grid as a copy along a curve gives them. */
async function sortedCells(subject: EngineSubject, curve: RowCurve): Promise<[number, number][]> {
  const { files } = await writeRows(subject, grid, cells)
  const plan = scanPlan(
    subject,
    grid,
    files.map((file) => addOf(file)),
  )
  const copied = await subject.engine.write({ kind: 'scan', plan, curve }, planOf(subject.store, grid))
  equal(copied.numRows, 64, 'rows copied')
  const texts = await scanTexts(
    subject.engine,
    scanPlan(
      subject,
      grid,
      copied.files.map((file) => addOf(file)),
    ),
  )
  return texts.map((text) => {
    const row = JSON.parse(text) as { x: number; s: { y: number } }
    return [row.x, row.s.y]
  })
}

export const contractLayout: readonly Check[] = [
  [
    'a copy along the Z-order curve gives rows in the order of their interleaved ranges',
    async (subject) => {
      const order = await sortedCells(subject, { kind: 'z-order', columns: [x, y] })
      equal(
        order.slice(0, 8),
        [
          [0, 0],
          [0, 1],
          [1, 0],
          [1, 1],
          [0, 2],
          [0, 3],
          [1, 2],
          [1, 3],
        ],
        'the first rows',
      )
      equal(order.at(-1), [7, 7], 'the last row')
    },
  ],
  [
    'a copy along one column gives rows in its order, null first',
    async (subject) => {
      const layout = layoutOf([field('t', stringType)])
      const rows: Row[] = [['b'], ['é'], [null], ['a'], ['\u{1f33c}'], ['']]
      const { files } = await writeRows(subject, layout, rows)
      const plan = scanPlan(
        subject,
        layout,
        files.map((file) => addOf(file)),
      )
      const t = { kind: 'column', ordinals: [0], path: ['t'], type: stringType } as const
      for (const kind of ['z-order', 'hilbert'] as const) {
        const copied = await subject.engine.write(
          { kind: 'scan', plan, curve: { kind, columns: [t] } },
          planOf(subject.store, layout),
        )
        const adds = copied.files.map((file) => addOf(file))
        const texts = await scanTexts(subject.engine, scanPlan(subject, layout, adds))
        const values = texts.map((text) => (JSON.parse(text) as { t: string | null }).t)
        // the least value and null share the first range
        equal(values.slice(0, 2).sort(), ['', null], `the first rows of ${kind}`)
        equal(values.slice(2), ['a', 'b', 'é', '\u{1f33c}'], `the rows of ${kind}`)
      }
    },
  ],
  [
    'a copy along the Hilbert curve goes from each range to one beside it',
    async (subject) => {
      const order = await sortedCells(subject, { kind: 'hilbert', columns: [x, y] })
      equal(new Set(order.map(String)).size, 64, 'cells')
    },
  ],
  [
    'a copy along a curve leaves out deleted rows and makes several files where there is much',
    async (subject) => {
      const layout = layoutOf([field('n', longType), field('p', stringType)], { partitionColumns: ['p'] })
      const rows: Row[] = Array.from({ length: 60_000 }, (_, i) => [BigInt((i * 7919) % 60_000), 'a'])
      const { files } = await writeRows(subject, layout, rows)
      const size = files.reduce((sum, file) => sum + file.size, 0)
      const n = { kind: 'column', ordinals: [0], path: ['n'], type: longType } as const
      const plan = scanPlan(
        subject,
        layout,
        files.map((file) => addOf(file)),
      )
      const { files: copied, numRows } = await subject.engine.write(
        { kind: 'scan', plan, curve: { kind: 'z-order', columns: [n] } },
        planOf(subject.store, layout, { targetFileSize: Math.ceil(size / 3) }),
      )
      equal(numRows, 60_000, 'rows copied')
      if (copied.length < 2) throw new Error('one file was written')
      equal(
        copied.map(({ partitionValues }) => partitionValues.get('p')),
        copied.map(() => 'a'),
        'partitions',
      )
      const bounds = copied.map(
        ({ stats }) => JSON.parse(stats) as { minValues: { n: number }; maxValues: { n: number } },
      )
      const ranges = bounds.map(({ minValues, maxValues }) => [minValues.n, maxValues.n] as const)
      for (const [i, [min]] of ranges.entries()) {
        // neighbours share one of 256 ranges at most
        if (i > 0 && ranges[i - 1]![1] - min > 60_000 / 128) throw new Error(`files overlap: ${JSON.stringify(ranges)}`)
      }
    },
  ],
  [
    'the columns of files come from their footers, with types of their own and field ids',
    async (subject) => {
      const mapped = layoutOf(
        [
          field('a', integerType, true, { 'delta.columnMapping.id': 7, 'delta.columnMapping.physicalName': 'col-a' }),
          field('p', stringType, true, { 'delta.columnMapping.id': 8, 'delta.columnMapping.physicalName': 'col-p' }),
        ],
        { columnMapping: 'name', partitionColumns: ['p'] },
      )
      const { files } = await writeRows(subject, mapped, [[1, 'x']])
      const plain = layoutOf([field('l', longType), field('s', structType([field('t', stringType)]))])
      const other = await writeRows(subject, plain, [[1n, ['x']]])
      const adds = [...files, ...other.files].map((file) => addOf(file))
      const found: unknown[] = []
      for await (const { file, schema } of subject.engine.readSchemas(subject.store, adds)) {
        const columns = schema.fields.map(({ name, type, metadata }) => [
          name,
          type.kind,
          metadata['parquet.field.id'] ?? null,
        ])
        found.push([adds.indexOf(file), columns])
      }
      equal(
        found,
        [
          [0, [['col-a', 'integer', 7]]],
          [
            1,
            [
              ['l', 'long', null],
              ['s', 'struct', null],
            ],
          ],
        ],
        'the columns',
      )
    },
  ],
]
