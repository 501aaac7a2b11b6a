/** Cases about rows of a source joined with those of a table: which action applies, and what is drawn. */
import { bindScoped, bindScopedCondition, parseExpression, type Scope } from '../../expressions/index.ts'
import { RowSet, type ScanFile, writeDeletionVectors } from '../../kernel/index.ts'
import { field, integerType, longType, type Row, stringType, structType } from '../../schema/index.ts'
import type { JoinAction, JoinedRows, JoinPlan, RowDraw, StagedRows } from '../join.ts'
import {
  addOf,
  type Check,
  type EngineSubject,
  equal,
  layoutOf,
  pages,
  planOf,
  rejects,
  scanPlan,
  scanTexts,
  writeRows,
} from './ground.ts'

const pair = structType([field('x', integerType), field('y', stringType)])
const items = layoutOf([field('id', integerType), field('v', stringType), field('n', longType), field('st', pair)])
const offers = structType([field('id', integerType), field('v', stringType), field('k', longType)])
const scopes: readonly Scope[] = [
  { name: 't', schema: items.schema },
  { name: 's', schema: offers },
]

const itemRows: readonly (readonly Row[])[] = [
  [
    [1, 'one', 10n, [1, 'a']],
    [2, 'two', 20n, null],
    [3, 'three', 30n, [3, null]],
  ],
  [
    [4, 'four', 40n, [4, 'd']],
    [5, 'five', null, null],
    [null, 'nokey', 0n, null],
  ],
]

async function writeItems(subject: EngineSubject): Promise<ScanFile[]> {
  const files: ScanFile[] = []
  for (const rows of itemRows) {
    const written = await writeRows(subject, items, rows)
    files.push(...written.files.map((file) => addOf(file)))
  }
  return files
}

const bind = (text: string) => bindScoped(parseExpression(text), scopes)
const condition = (text: string) => bindScopedCondition(parseExpression(text), scopes)
const action = (id: number, text?: string): JoinAction => ({
  id,
  ...(text !== undefined && { condition: condition(text) }),
})
const columns = (...texts: string[]) => texts.map(bind)

function stageOffers({ engine }: EngineSubject, rows: readonly Row[]): Promise<StagedRows> {
  return engine.stage({ kind: 'rows', schema: offers, rows: pages(rows) })
}

type Wish = Partial<Pick<JoinPlan, 'matched' | 'notMatched' | 'notMatchedBySource' | 'keepsFirst' | 'shown'>>

function joinPlan({ store }: EngineSubject, files: readonly ScanFile[], on: string, wish: Wish): JoinPlan {
  const all = items.schema.fields.map((_, i) => i)
  return {
    ...{ store, layout: items, files, condition: condition(on), kept: all },
    ...{ matched: [], notMatched: [], notMatchedBySource: [], keepsFirst: false, shown: [] },
    ...wish,
  }
}

/** The rows of a draw, as texts in the order of their text. */
async function drawn(subject: EngineSubject, joined: JoinedRows, draws: readonly RowDraw[]): Promise<string[]> {
  const { files } = await joined.write(draws, planOf(subject.store, items))
  const adds = files.map((file) => addOf(file))
  return (await scanTexts(subject.engine, scanPlan(subject, items, adds))).sort()
}

function places(joined: JoinedRows, files: readonly ScanFile[]): [number, number[]][] {
  return joined.touched.map(({ file, rows }) => [files.indexOf(file), [...rows.positions()]])
}

const AS_IT_IS = columns('t.id', 't.v', 't.n', 't.st')
const NEW = columns('s.id', 's.v', 's.k', 'cast(null as struct<x:int,y:string>)')

export const contractJoins: readonly Check[] = [
  [
    'a join finds for each row the first action that applies',
    async (subject) => {
      const files = await writeItems(subject)
      const staged = await stageOffers(subject, [
        [1, 's1', 1n],
        [2, 's2', 2n],
        [7, 's7', 7n],
        [8, 'skip', 8n],
        [null, 'snull', 9n],
      ])
      equal(staged.numRows, 5, 'rows staged')
      const joined = await staged.join(
        joinPlan(subject, files, 't.id = s.id', {
          matched: [action(1, 't.n = 10'), action(2)],
          notMatched: [action(3, "s.v <> 'skip'")],
          notMatchedBySource: [action(4, 't.n is null'), action(5, 't.id = 4')],
        }),
      )
      equal(
        [...joined.counts].sort(),
        [
          [1, 1],
          [2, 1],
          [3, 2],
          [4, 1],
          [5, 1],
        ],
        'rows by action',
      )
      equal(joined.repeated, undefined, 'repeated rows')
      equal(
        places(joined, files),
        [
          [0, [0, 1]],
          [1, [0, 1]],
        ],
        'touched rows',
      )
      const updated = {
        kind: 'acted',
        action: 2,
        columns: columns('t.id', "concat(t.v, '+', s.v)", 't.n + s.k', 't.st'),
      } as const
      const rows = await drawn(subject, joined, [updated, { kind: 'acted', action: 3, columns: NEW }])
      equal(
        rows,
        [
          '{"id":2,"v":"two+s2","n":22,"st":null}',
          '{"id":7,"v":"s7","n":7,"st":null}',
          '{"id":null,"v":"snull","n":9,"st":null}',
        ],
        'the rows drawn',
      )
      const rest = await drawn(subject, joined, [{ kind: 'untouched', files, columns: AS_IT_IS }])
      equal(
        rest,
        ['{"id":3,"v":"three","n":30,"st":{"x":3,"y":null}}', '{"id":null,"v":"nokey","n":0,"st":null}'],
        'the rows untouched',
      )
      await staged.close()
    },
  ],
  [
    'rows untouched are those of their own file, though files between are not drawn from',
    async (subject) => {
      const { files: more } = await writeRows(subject, items, [[8, 'eight', 80n, null]])
      const [first, last] = await writeItems(subject)
      const files = [first!, ...more.map((file) => addOf(file)), last!]
      const source = [5, 8].map((id): Row => [id, `s${id}`, 1n])
      const staged = await stageOffers(subject, source)
      const joined = await staged.join(joinPlan(subject, files, 't.id = s.id', { matched: [action(1)] }))
      const rest = await drawn(subject, joined, [{ kind: 'untouched', files: [first!, last!], columns: AS_IT_IS }])
      const ids = rest.map((row) => /"id":(\w+)/.exec(row)?.[1])
      equal(ids, ['1', '2', '3', '4', 'null'], 'the rows untouched')
      await staged.close()
    },
  ],
  [
    'rows of the source alone are found without any file, and whatever the condition is',
    async (subject) => {
      const files = await writeItems(subject)
      const staged = await stageOffers(subject, [
        [1, 'a', 1n],
        [9, 'b', 2n],
      ])
      const wish = { notMatched: [action(1)] }
      const none = await staged.join(joinPlan(subject, [], 't.id = s.id', wish))
      equal([...none.counts], [[1, 2]], 'rows that match nothing')
      const greater = await staged.join(joinPlan(subject, files, 't.id > s.id', wish))
      equal(
        await drawn(subject, greater, [{ kind: 'acted', action: 1, columns: NEW }]),
        ['{"id":9,"v":"b","n":2,"st":null}'],
        'rows above',
      )
      const never = await staged.join(
        joinPlan(subject, files, 'false', { notMatchedBySource: [action(1)], ...{ notMatched: [action(2)] } }),
      )
      equal(
        [...never.counts].sort(),
        [
          [1, 6],
          [2, 2],
        ],
        'rows of a condition that is false',
      )
      await staged.close()
    },
  ],
  [
    'null is equal to null only where the condition says so',
    async (subject) => {
      const files = await writeItems(subject)
      const staged = await stageOffers(subject, [[null, 'x', 1n]])
      const wish = { matched: [action(1)], notMatched: [action(2)] }
      const plain = await staged.join(joinPlan(subject, files, 't.id = s.id', wish))
      equal([...plain.counts], [[2, 1]], 'with =')
      const safe = await staged.join(joinPlan(subject, files, 't.id <=> s.id', wish))
      equal([...safe.counts], [[1, 1]], 'with <=>')
      equal(places(safe, files), [[1, [2]]], 'the row with null')
      await staged.close()
    },
  ],
  [
    'several rows that act on one are told of with examples, or all but one are left out',
    async (subject) => {
      const files = await writeItems(subject)
      const staged = await stageOffers(subject, [
        [2, 'a', 1n],
        [2, 'b', 2n],
        [3, 'c', 3n],
        [3, 'd', 4n],
        [4, 'e', 5n],
      ])
      const twice = await staged.join(
        joinPlan(subject, files, 't.id = s.id', { matched: [action(1)], shown: columns('s.id', 't.v') }),
      )
      equal(twice.repeated?.count, 2, 'rows of the table')
      equal(
        twice.repeated?.examples,
        [
          [2, 'two'],
          [2, 'two'],
        ],
        'examples',
      )
      const once = await staged.join(
        joinPlan(subject, files, 't.id = s.id', { matched: [action(1)], keepsFirst: true }),
      )
      equal(once.repeated, undefined, 'told of')
      equal([...once.counts], [[1, 3]], 'each row once')
      const rows = await drawn(subject, once, [{ kind: 'acted', action: 1, columns: AS_IT_IS }])
      equal(rows.length, 3, 'rows drawn')
      const chosen = await staged.join(joinPlan(subject, files, 't.id = s.id', { matched: [action(1, 's.k = 1')] }))
      equal([chosen.repeated, [...chosen.counts]], [undefined, [[1, 1]]], 'where a condition leaves one')
      await staged.close()
    },
  ],
  [
    'rows that a deletion vector hides match nothing and are not copied',
    async (subject) => {
      const files = await writeItems(subject)
      const { descriptors } = await writeDeletionVectors(subject.store, [RowSet.of([0])])
      const hidden = [{ ...files[0]!, deletionVector: descriptors[0]! }, files[1]!]
      const staged = await stageOffers(subject, [
        [1, 'a', 1n],
        [2, 'b', 2n],
      ])
      const joined = await staged.join(
        joinPlan(subject, hidden, 't.id = s.id', { matched: [action(1)], notMatched: [action(2)] }),
      )
      equal(
        [...joined.counts].sort(),
        [
          [1, 1],
          [2, 1],
        ],
        'rows by action',
      )
      equal(places(joined, hidden), [[0, [1]]], 'touched rows')
      const rest = await drawn(subject, joined, [{ kind: 'untouched', files: [hidden[0]!], columns: AS_IT_IS }])
      equal(rest, ['{"id":3,"v":"three","n":30,"st":{"x":3,"y":null}}'], 'the rows left of the file')
      await staged.close()
    },
  ],
  [
    'keys of staged rows are summed up',
    async (subject) => {
      const staged = await stageOffers(subject, [
        [5, 'b', null],
        [null, 'a', null],
        [2, 'b', null],
      ])
      const own = (text: string) => bindScoped(parseExpression(text), [{ name: 's', schema: offers }])
      equal(
        await staged.summarize([own('s.id'), own('v'), own('k + 1')], undefined),
        [
          { hasNull: true, min: 2, max: 5, values: [2, 5] },
          { hasNull: false, min: 'a', max: 'b', values: ['a', 'b'] },
          { hasNull: true, min: null, max: null, values: [] },
        ],
        'summaries',
      )
      const some = await staged.summarize([own('id')], own('id > 2'))
      equal(some, [{ hasNull: false, min: 5, max: 5, values: [5] }], 'of some rows')
      await staged.close()
    },
  ],
  [
    'a table is a source like rows, and expressions without a form in SQL do what others do',
    async (subject) => {
      const files = await writeItems(subject)
      const given = await writeRows(subject, layoutOf(offers.fields), [
        [1, 'one', 1n],
        [2, 'zwei', 2n],
      ])
      const layout = layoutOf(offers.fields)
      const plan = scanPlan(
        subject,
        layout,
        given.files.map((file) => addOf(file)),
      )
      const staged = await subject.engine.stage({ kind: 'scan', plan })
      equal(staged.numRows, 2, 'rows staged')
      const joined = await staged.join(
        joinPlan(subject, files, 't.id = s.id', { matched: [action(1, 'exists(array(s.v), x -> x = t.v)')] }),
      )
      equal([places(joined, files), [...joined.counts]], [[[0, [0]]], [[1, 1]]], 'touched rows')
      const lists = columns('t.id', 'array_join(transform(array(s.v), x -> concat(x, t.v)), t.v)', 't.n', 't.st')
      const rows = await drawn(subject, joined, [
        { kind: 'acted', action: 1, columns: lists },
        { kind: 'untouched', files: [files[0]!], columns: AS_IT_IS },
      ])
      equal(rows.length, 3, 'rows drawn')
      equal(rows[0], '{"id":1,"v":"oneone","n":10,"st":{"x":1,"y":"a"}}', 'the row changed')
      await staged.close()
    },
  ],
  [
    'rows that cannot match need not be looked at, and a source larger than the table gives the same',
    async (subject) => {
      const files = await writeItems(subject)
      const many = Array.from({ length: 3000 }, (_, i): Row => [i + 1, `s${i}`, BigInt(i)])
      const staged = await stageOffers(subject, many)
      const plan = joinPlan(subject, files, 't.id = s.id', { matched: [action(1)], notMatched: [action(2)] })
      const joined = await staged.join({ ...plan, within: condition('t.id >= 1 AND t.id <= 3000') })
      equal(
        [...joined.counts].sort(),
        [
          [1, 5],
          [2, 2995],
        ],
        'rows by action',
      )
      equal(
        places(joined, files),
        [
          [0, [0, 1, 2]],
          [1, [0, 1]],
        ],
        'touched rows',
      )
      const some = await staged.join({ ...plan, within: condition('t.id >= 1') })
      equal(
        [...some.counts].sort(),
        [
          [1, 5],
          [2, 2995],
        ],
        'rows by action',
      )
      const rest = await drawn(subject, joined, [{ kind: 'untouched', files, columns: AS_IT_IS }])
      equal(rest.length, 1, 'rows untouched')
      await staged.close()
    },
  ],
  [
    'members of structs are drawn one by one, and so are the elements of lists',
    async (subject) => {
      const files = await writeItems(subject)
      const staged = await stageOffers(subject, [
        [1, 'new', 1n],
        [2, 'new', 2n],
      ])
      const joined = await staged.join(joinPlan(subject, files, 't.id = s.id', { matched: [action(1)] }))
      const made = columns('t.id', 't.v', 't.n', "named_struct('x', t.st.x, 'y', s.v)")
      const rows = await drawn(subject, joined, [{ kind: 'acted', action: 1, columns: made }])
      equal(
        rows,
        ['{"id":1,"v":"one","n":10,"st":{"x":1,"y":"new"}}', '{"id":2,"v":"two","n":20,"st":{"x":null,"y":"new"}}'],
        'the rows drawn',
      )
      await staged.close()
    },
  ],
  [
    'an expression of a join fails for the rows that need it',
    async (subject) => {
      const files = await writeItems(subject)
      const staged = await stageOffers(subject, [[1, 'abc', 1n]])
      await rejects('CAST_INVALID_INPUT', () =>
        staged.join(joinPlan(subject, files, 't.id = s.id', { matched: [action(1, 'cast(s.v as int) = 1')] })),
      )
      const joined = await staged.join(joinPlan(subject, files, 't.id = s.id', { matched: [action(1)] }))
      const failing = columns('cast(s.v as int)', 't.v', 't.n', 't.st')
      await rejects('CAST_INVALID_INPUT', () =>
        joined.write([{ kind: 'acted', action: 1, columns: failing }], planOf(subject.store, items)),
      )
      await staged.close()
    },
  ],
]
