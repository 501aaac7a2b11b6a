import { beforeEach, describe, expect, test } from 'vitest'
import { jsEngine } from '../../engine/js/index.ts'
import { isDeltaError } from '../../errors/index.ts'
import { memoryStore, type ObjectStore } from '../../storage/index.ts'
import { type DeltaTable, type DeltaTables, deltaTables, localBackend } from '../../table/index.ts'

let store: ObjectStore
let tables: DeltaTables

beforeEach(() => {
  store = memoryStore({ location: '/t' })
  const backend = localBackend({ openStore: async () => store, engine: jsEngine() })
  tables = deltaTables(() => backend)
})

async function tableOf(columns: string, properties: Record<string, string> = {}, ...partitionBy: string[]) {
  const builder = tables.create().location('/t').addColumns(columns).properties(properties)
  return await builder.partitionedBy(...partitionBy).execute()
}

const mapped = { 'delta.columnMapping.mode': 'name' }
const widening = { 'delta.enableTypeWidening': 'true' }

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (isDeltaError(error)) return `${error.code} ${error.sqlState}`
    throw error
  }
  return 'accepted'
}

/** Operation and parameters of the newest commit. */
async function told(table: DeltaTable): Promise<string> {
  const [newest] = await table.history(1)
  return `${newest!.operation} ${JSON.stringify(newest!.operationParameters)}`
}

describe('constraints', () => {
  test('are added when every row satisfies them', async () => {
    const table = await tableOf('id INT, price DOUBLE, st STRUCT<a: INT>')
    await table.append([
      { id: 1, price: 1 },
      { id: 2, price: null },
      { id: 3, price: -1 },
    ])
    const add = table.addConstraint('Positive', 'price > 0')
    expect(await refusal(add)).toBe('DELTA_NEW_CHECK_CONSTRAINT_VIOLATION 23512')
    await expect(table.addConstraint('c', 'price > 0')).rejects.toThrow('2 rows of /t')
    await table.overwrite([{ id: 1, price: 1 }])
    await table.addConstraint('Positive', 'price > 0')
    expect(await told(table)).toBe('ADD CONSTRAINT {"name":"Positive","expr":"price > 0"}')
    expect(await table.detail()).toMatchObject({
      minWriterVersion: 3,
      properties: { 'delta.constraints.positive': 'price > 0' },
    })
    expect((await table.history(1))[0]).toMatchObject({ isBlindAppend: false })
    expect(await refusal(table.addConstraint('POSITIVE', 'id > 0'))).toBe('DELTA_CONSTRAINT_ALREADY_EXISTS 42710')
  })

  test('are dropped by name', async () => {
    const table = await tableOf('id INT')
    await table.addConstraint('c', 'id > 0')
    expect(await refusal(table.dropConstraint('nope'))).toBe('DELTA_CONSTRAINT_DOES_NOT_EXIST 42704')
    expect(await table.dropConstraint('nope', { ifExists: true })).toEqual({ version: 2 })
    expect(await told(table)).toBe('DROP CONSTRAINT {"name":"nope","existed":"false"}')
    await table.dropConstraint('C')
    expect(await told(table)).toBe('DROP CONSTRAINT {"name":"C","expr":"id > 0","existed":"true"}')
    expect((await table.detail()).properties).toEqual({})
  })

  test.each([
    ['id', 'DELTA_NON_BOOLEAN_CHECK_CONSTRAINT 42621'],
    ['nope > 1', 'UNRESOLVED_COLUMN.WITH_SUGGESTION 42703'],
    ['id >', 'PARSE_SYNTAX_ERROR 42601'],
  ])('refuse %s', async (expression, code) => {
    const table = await tableOf('id INT')
    expect(await refusal(table.addConstraint('c', expression))).toBe(code)
  })

  test('hold the columns they speak of', async () => {
    const table = await tableOf('id INT, v INT, w INT', { ...mapped, ...widening })
    await table.addConstraint('c', 'V > 0 OR V IS NULL')
    const code = 'DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE 42K09'
    expect(await refusal(table.dropColumn('v'))).toBe(code)
    expect(await refusal(table.renameColumn('v', 'x'))).toBe(code)
    expect(await refusal(table.changeColumn('v', { type: 'BIGINT' }))).toBe(code)
    expect(await refusal(table.changeColumn('v', { comment: 'x' }))).toBe('accepted')
    expect(await refusal(table.dropColumn('w'))).toBe('accepted')
  })
})
