import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AddFile, TableLayout } from '../../../kernel/index.ts'
import { arrayType, field, integerType, longType, rowToJson, stringType, structType } from '../../../schema/index.ts'
import { localStore } from '../../../storage/fs/index.ts'
import type { QueryView } from '../../index.ts'
import { DuckDatabase } from '../instance.ts'
import { quoteLiteral } from '../sql-text.ts'
import { query } from './query.ts'

let root: string
let database: DuckDatabase
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'query-'))
  database = new DuckDatabase({ threads: 2, memoryLimit: '500MB' })
})
afterAll(async () => {
  await database.close()
  rmSync(root, { recursive: true })
})

async function file(key: string, sql: string): Promise<AddFile> {
  const path = join(root, key)
  await database.withSession((s) => s.run(`COPY (${sql}) TO ${quoteLiteral(path)} (FORMAT parquet)`))
  return { path: key, partitionValues: new Map(), size: statSync(path).size, modificationTime: 0, dataChange: true }
}

function view(name: string, layout: TableLayout, files: AddFile[]): QueryView {
  return { name, plan: { store: localStore(root), layout, files, columns: layout.schema.fields.map((_, i) => i) } }
}

async function run(sql: string, views: QueryView[]): Promise<{ types: string[]; rows: string[] }> {
  const { schema, batches } = await query(database, sql, views)
  const rows: string[] = []
  for await (const batch of batches) {
    const columns = schema.fields.map((_, i) => batch.column(i))
    for (let i = 0; i < batch.numRows; i++) {
      rows.push(
        rowToJson(
          columns.map((column) => column[i] ?? null),
          schema,
        ),
      )
    }
  }
  return { types: schema.fields.map(({ type }) => type.kind), rows }
}

const plain: TableLayout = {
  schema: structType([field('id', longType), field('country', stringType)]),
  partitionColumns: ['country'],
  columnMapping: 'none',
}

describe('a SELECT over tables', () => {
  test('NULLs are the smallest where ORDER BY says nothing of them', async () => {
    const rows = view('t', plain, [await file('nulls.parquet', 'SELECT unnest([2, NULL, 1])::BIGINT AS id')])
    const ids = async (order: string) => (await run(`SELECT id FROM t ORDER BY ${order}`, [rows])).rows.join()
    expect(await ids('id')).toBe('{"id":null},{"id":1},{"id":2}')
    expect(await ids('ALL')).toBe(await ids('id ASC NULLS FIRST'))
    expect(await ids('id DESC')).toBe('{"id":2},{"id":1},{"id":null}')
    expect(await ids('id NULLS LAST')).toBe('{"id":1},{"id":2},{"id":null}')
  })

  test('joins two tables, partition columns from the log, sums beyond 64 bits kept', async () => {
    const german = {
      ...(await file('a.parquet', 'SELECT 9223372036854775807 AS id')),
      partitionValues: new Map([['country', 'DE']]),
    }
    const french = {
      ...(await file('b.parquet', 'SELECT 1::BIGINT AS id')),
      partitionValues: new Map([['country', 'FR']]),
    }
    const views = [view('orders', plain, [german, german, french]), view('Other Table', plain, [french])]
    expect(await run('select country, sum(id) total from orders group by all order by 1 -- all', views)).toEqual({
      types: ['string', 'decimal'],
      rows: ['{"country":"DE","total":18446744073709551614}', '{"country":"FR","total":1}'],
    })
    const joined = await run('select count(*) n from orders o join "Other Table" t on o.id = t.id', views)
    expect(joined.rows).toEqual(['{"n":1}'])
  })

  test('an empty table has its columns', async () => {
    expect(await run('select * from orders', [view('orders', plain, [])])).toEqual({
      types: ['long', 'string'],
      rows: [],
    })
  })

  test('members of mapped structs have their logical names, at any depth', async () => {
    const mapped = (name: string, id: number, physical: string, type: Parameters<typeof field>[1]) =>
      field(name, type, true, { 'delta.columnMapping.id': id, 'delta.columnMapping.physicalName': physical })
    const inner = structType([mapped('x', 3, 'col-3', integerType)])
    const layout: TableLayout = {
      schema: structType([mapped('s', 1, 'col-1', inner), mapped('l', 2, 'col-2', arrayType(inner))]),
      partitionColumns: [],
      columnMapping: 'name',
    }
    const add = await file(
      'm.parquet',
      `SELECT {'col-3': 1} AS "col-1", [{'col-3': 2}, NULL] AS "col-2" UNION ALL SELECT NULL, NULL`,
    )
    expect((await run('select s.x, s, l, l[1].x y from t', [view('t', layout, [add])])).rows).toEqual([
      '{"x":1,"s":{"x":1},"l":[{"x":2},null],"y":2}',
      '{"x":null,"s":null,"l":null,"y":null}',
    ])
  })

  test('types no table can hold come as text', async () => {
    const sql = "select interval 1 day i, time '12:00:01' t, 'x'::enum('x') e, null n, 1::utinyint u"
    expect(await run(sql, [])).toEqual({
      types: ['string', 'string', 'string', 'integer', 'short'],
      rows: ['{"i":"1 day","t":"12:00:01","e":"x","n":null,"u":1}'],
    })
  })

  test('a column named twice gets a name of its own', async () => {
    expect((await run('select 1 a, 2 a', [])).rows).toEqual(['{"a":1,"a_1":2}'])
  })

  test.each(['selec 1', 'select * from nowhere', 'select 1/x from orders'])(
    'says what is wrong with %s',
    async (sql) => {
      await expect(run(sql, [view('orders', plain, [])])).rejects.toMatchObject({ code: 'LAKE_QUERY_FAILED' })
    },
  )

  test('names a file that is gone', async () => {
    const gone: AddFile = {
      path: 'gone.parquet',
      partitionValues: new Map(),
      size: 1,
      modificationTime: 0,
      dataChange: true,
    }
    await expect(run('select * from t', [view('t', plain, [gone])])).rejects.toMatchObject({
      code: 'FAILED_READ_FILE.FILE_NOT_EXIST',
    })
  })
})
