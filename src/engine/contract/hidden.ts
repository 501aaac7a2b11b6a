/** Cases about hidden columns: where a row lies, its id, its commit version. */
import { bindPredicate } from '../../expressions/index.ts'
import { type HiddenColumn, movedRows, type TableLayout, withHiddenColumns } from '../../kernel/index.ts'
import { field, integerType, longType, type Row } from '../../schema/index.ts'
import type { ScanPlan } from '../engine.ts'
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

const ROW_ID = '_row-id-col-1'
const COMMIT_VERSION = '_row-commit-version-col-1'
const table = layoutOf([field('id', integerType)], {
  rowTracking: { rowId: ROW_ID, rowCommitVersion: COMMIT_VERSION },
})
/** Of positions 0, 1, 4 and 5. */
const DELETED = {
  storageType: 'i',
  pathOrInlineDv: '^Bg9^0rr910000000000iXQKl0rr91000935c8Xg000311onP9',
  sizeInBytes: 40,
  cardinality: 4,
} as const

/** A file of plain rows, and one in which some rows bring an id and a commit version along. */
async function writeBoth(subject: EngineSubject) {
  const moved = layoutOf([field('id', integerType), field(ROW_ID, longType), field(COMMIT_VERSION, longType)])
  const plain = await writeRows(subject, layoutOf([field('id', integerType)]), [[1], [2], [3], [4], [5], [6], [7]])
  const mixed = await writeRows(subject, moved, [
    [11, 9007199254740993n, null],
    [12, null, 3n],
    [13, null, null],
  ] satisfies Row[])
  return [
    addOf(plain.files[0]!, { baseRowId: 100n, defaultRowCommitVersion: 1n }),
    addOf(mixed.files[0]!, { baseRowId: 200n, defaultRowCommitVersion: 5n, modificationTime: 1234 }),
  ] as const
}

async function read(
  subject: EngineSubject,
  {
    columns,
    where,
    ...options
  }: { columns: readonly HiddenColumn[]; where?: string } & Partial<Pick<ScanPlan, 'files' | 'limit'>>,
  layout: TableLayout = table,
): Promise<string[]> {
  const files = options.files ?? (await writeBoth(subject))
  const hidden = withHiddenColumns(layout, columns)
  const filter = where === undefined ? {} : { filter: bindPredicate(where, hidden.schema) }
  return await scanTexts(subject.engine, scanPlan(subject, hidden, files, { ...options, ...filter }))
}

export const contractHidden: readonly Check[] = [
  [
    'a row has the id and commit version its file keeps for it, else those of the file',
    async (subject) => {
      const texts = await read(subject, { columns: ['row_id', 'row_commit_version'] })
      equal(
        texts.filter((text) => !/"id":[3-6]\b/.test(text)),
        [
          '{"id":1,"_metadata.row_id":100,"_metadata.row_commit_version":1}',
          '{"id":2,"_metadata.row_id":101,"_metadata.row_commit_version":1}',
          '{"id":7,"_metadata.row_id":106,"_metadata.row_commit_version":1}',
          '{"id":11,"_metadata.row_id":9007199254740993,"_metadata.row_commit_version":5}',
          '{"id":12,"_metadata.row_id":201,"_metadata.row_commit_version":3}',
          '{"id":13,"_metadata.row_id":202,"_metadata.row_commit_version":5}',
        ],
        'the rows',
      )
    },
  ],
  [
    'places and ids count deleted rows',
    async (subject) => {
      const [plain] = await writeBoth(subject)
      const texts = await read(subject, {
        files: [{ ...plain, deletionVector: DELETED }],
        columns: ['row_id', 'row_index', 'base_row_id', 'default_row_commit_version'],
      })
      const of = (id: number, at: number) =>
        `{"id":${id},"_metadata.row_id":${100 + at},"_metadata.row_index":${at},"_metadata.base_row_id":100,"_metadata.default_row_commit_version":1}`
      equal(texts, [of(3, 2), of(4, 3), of(7, 6)], 'the rows')
    },
  ],
  [
    'a file is named by its place in the plan, its address and its entry in the log',
    async (subject) => {
      const [plain, mixed] = await writeBoth(subject)
      const texts = await read(subject, {
        files: [mixed, plain, mixed],
        columns: ['file_index', 'file_name', 'file_path', 'file_size', 'file_modification_time'],
        where: '`_metadata.file_index` != 1 AND id = 12',
      })
      const of = (index: number) =>
        `{"id":12,"_metadata.file_index":${index},"_metadata.file_name":"${mixed.path}","_metadata.file_path":"${subject.store.location}/${mixed.path}","_metadata.file_size":${mixed.size},"_metadata.file_modification_time":"1970-01-01T00:00:01.234Z"}`
      equal(texts, [of(0), of(2)], 'the rows')
    },
  ],
  [
    'filters and limits reach hidden columns',
    async (subject) => {
      const where = '`_metadata.row_id` IN (101, 202, 9007199254740993)'
      const ids = (texts: readonly string[]) => texts.map((text) => /"id":(\d+)/.exec(text)![1])
      equal(ids(await read(subject, { columns: ['row_id'], where })), ['2', '11', '13'], 'all')
      equal(ids(await read(subject, { columns: ['row_id'], where, limit: 2 })), ['2', '11'], 'two')
      const count = await subject.engine.count(
        scanPlan(subject, withHiddenColumns(table, ['row_index']), await writeBoth(subject), {
          columns: [],
          filter: bindPredicate('`_metadata.row_index` >= 2', withHiddenColumns(table, ['row_index']).schema),
        }),
      )
      equal(count, 6, 'the count')
    },
  ],
  [
    'a file without a base has no ids but those it keeps',
    async (subject) => {
      const [, { baseRowId: _, ...mixed }] = await writeBoth(subject)
      equal(
        await read(subject, { files: [mixed], columns: ['row_id'] }),
        [
          '{"id":11,"_metadata.row_id":9007199254740993}',
          '{"id":12,"_metadata.row_id":null}',
          '{"id":13,"_metadata.row_id":null}',
        ],
        'the rows',
      )
    },
  ],
  [
    'ids are found by name where the table maps its columns by id',
    async (subject) => {
      const mapping = { 'delta.columnMapping.id': 1, 'delta.columnMapping.physicalName': 'col-1' }
      const id = field('id', integerType, true, mapping)
      const mapped = { ...table, columnMapping: 'id' } as const
      const stored = layoutOf([id, field(ROW_ID, longType)], { columnMapping: 'id' })
      const { files } = await writeRows(subject, stored, [
        [1, null],
        [2, 7n],
      ])
      const texts = await read(
        subject,
        { files: [addOf(files[0]!, { baseRowId: 50n })], columns: ['row_id'] },
        { ...mapped, schema: layoutOf([id]).schema },
      )
      equal(texts, ['{"id":1,"_metadata.row_id":50}', '{"id":2,"_metadata.row_id":7}'], 'the rows')
    },
  ],
  [
    'rows that are copied to another file by the layouts for moved rows keep their ids and commit versions',
    async (subject) => {
      for (const columnMapping of ['none', 'name'] as const) {
        const plan = scanPlan(subject, movedRows({ ...table, columnMapping })!.read, await writeBoth(subject))
        const before = await scanTexts(subject.engine, plan)
        const write = planOf(subject.store, movedRows({ ...table, columnMapping })!.write)
        const { files } = await subject.engine.write({ kind: 'scan', plan }, write)
        const copies = files.map((file) => addOf(file, { baseRowId: 900n, defaultRowCommitVersion: 9n }))
        const after = await scanTexts(subject.engine, scanPlan(subject, plan.layout, copies))
        equal(after.sort(), before.sort(), `the rows, column mapping ${columnMapping}`)
      }
    },
  ],
]
