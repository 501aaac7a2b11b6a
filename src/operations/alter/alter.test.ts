import { beforeEach, describe, expect, test } from 'vitest'
import { jsEngine } from '../../engine/js/index.ts'
import { isDeltaError } from '../../errors/index.ts'
import { formatType, printSchema, type StructType } from '../../schema/index.ts'
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

async function columns(table: DeltaTable): Promise<string> {
  return columnsText(await table.schema())
}

function columnsText(schema: StructType): string {
  return schema.fields.map((f) => `${f.name} ${formatType(f.type)}${f.nullable ? '' : ' not null'}`).join(', ')
}

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

describe('adding columns', () => {
  test('puts them first, behind others and into structs, arrays and maps', async () => {
    const table = await tableOf('id INT, st STRUCT<a: INT>, arr ARRAY<STRUCT<x: INT>>, m MAP<STRING, STRUCT<q: INT>>')
    await table.append([{ id: 1, st: { a: 1 }, arr: [{ x: 1 }], m: [{ key: 'k', value: { q: 1 } }] }])
    const version = await table.addColumns([
      { name: 'first_col', type: 'STRING', position: 'first' },
      { name: 'mid', type: 'INT', position: { after: 'ID' }, comment: 'between' },
      { name: 'st.b', type: 'STRING', position: 'first' },
      { name: 'arr.element.y', type: 'INT' },
      { name: ['m', 'value', 'r'], type: 'DOUBLE' },
    ])
    expect(version).toEqual({ version: 2 })
    expect(await columns(table)).toBe(
      'first_col string, id int, mid int, st struct<b:string,a:int>, arr array<struct<x:int,y:int>>, ' +
        'm map<string,struct<q:int,r:double>>',
    )
    expect(await table.rows()).toEqual([
      {
        first_col: null,
        id: 1,
        mid: null,
        st: { b: null, a: 1 },
        arr: [{ x: 1, y: null }],
        m: [{ key: 'k', value: { q: 1, r: null } }],
      },
    ])
  })

  test('tells the reference’s parameters', async () => {
    const table = await tableOf('id INT')
    await table.addColumns([{ name: ['x.y'], type: 'VARCHAR(3)', position: { after: 'id' }, comment: 'c' }])
    expect(await told(table)).toBe(
      'ADD COLUMNS {"columns":"[{\\"column\\":{\\"name\\":\\"`x.y`\\",\\"type\\":\\"string\\",\\"nullable\\":true,' +
        '\\"metadata\\":{\\"__CHAR_VARCHAR_TYPE_STRING\\":\\"varchar(3)\\",\\"comment\\":\\"c\\"}},' +
        '\\"position\\":\\"AFTER id\\"}]"}',
    )
  })

  test.each([
    ['a name that is there', 'ID INT', 'FIELD_ALREADY_EXISTS 42710'],
    ['a name twice', 'n INT, N INT', 'COLUMN_ALREADY_EXISTS 42711'],
    ['a field twice', 'n STRUCT<a: INT, A: INT>', 'DELTA_DUPLICATE_COLUMNS_FOUND.ADDING_COLUMNS 42711'],
    ['a name no file can have', '`bad name` INT', 'DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES 42K05'],
    ['NOT NULL', 'n INT NOT NULL', 'DELTA_OPERATION_NOT_ALLOWED 0AKDC'],
    ['NOT NULL inside', 'n STRUCT<a: INT NOT NULL>', 'DELTA_OPERATION_NOT_ALLOWED 0AKDC'],
    ['a type that needs a feature', 'n TIMESTAMP_NTZ', 'DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT 42000'],
  ])('refuses %s', async (_, added, code) => {
    const table = await tableOf('id INT, st STRUCT<a: INT>')
    expect(await refusal(table.addColumns(added))).toBe(code)
    expect(await table.version()).toBe(0)
  })

  test.each([
    ['nope.x', 'UNRESOLVED_COLUMN.WITH_SUGGESTION 42703'],
    ['id.x', 'INVALID_FIELD_NAME 42000'],
    ['arr.element', 'INVALID_FIELD_NAME 42000'],
    ['m.key.x', 'INVALID_FIELD_NAME 42000'],
    ['st.A', 'FIELD_ALREADY_EXISTS 42710'],
  ])('refuses the path %s', async (name, code) => {
    const table = await tableOf('id INT, st STRUCT<a: INT>, arr ARRAY<INT>, m MAP<STRING, INT>')
    expect(await refusal(table.addColumns([{ name, type: 'INT' }]))).toBe(code)
  })

  test('refuses a place behind a column that is not there', async () => {
    const table = await tableOf('id INT')
    const added = { name: 'n', type: 'INT', position: { after: 'nope' } } as const
    expect(await refusal(table.addColumns([added]))).toBe('FIELD_NOT_FOUND 42704')
  })
})

describe('dropping and renaming', () => {
  test('needs a table that maps its columns', async () => {
    const table = await tableOf('id INT, v STRING')
    expect(await refusal(table.dropColumn('v'))).toBe('DELTA_UNSUPPORTED_DROP_COLUMN 0AKDC')
    expect(await refusal(table.renameColumn('v', 'w'))).toBe('DELTA_UNSUPPORTED_RENAME_COLUMN 0AKDC')
  })

  test('changes no file, and a column added under an old name is another', async () => {
    const table = await tableOf('id INT, name STRING, amount DOUBLE, st STRUCT<a: INT, b: INT>', mapped)
    await table.append([{ id: 1, name: 'a', amount: 1.5, st: { a: 1, b: 2 } }])
    await table.renameColumn('NAME', 'new label')
    await table.renameColumn('st.a', 'a.a')
    expect(await told(table)).toBe('RENAME COLUMN {"oldColumnPath":"st.a","newColumnPath":"st.`a.a`"}')
    await table.dropColumns(['amount', 'st.b'])
    expect(await told(table)).toBe('DROP COLUMNS {"columns":"[\\"amount\\",\\"st.b\\"]"}')
    await table.addColumns('amount INT')
    expect(await table.rows()).toEqual([{ id: 1, 'new label': 'a', st: { 'a.a': 1 }, amount: null }])
    const { properties } = await table.detail()
    expect(properties['delta.columnMapping.maxColumnId']).toBe('7')
  })

  test('follows a column into partitioning and the list of columns with statistics', async () => {
    const properties = { ...mapped, 'delta.dataSkippingStatsColumns': 'id,st.a,v' }
    const table = await tableOf('id INT, v STRING, p INT, st STRUCT<a: INT, b: INT>', properties, 'p')
    await table.append([{ id: 1, v: 'x', p: 7, st: { a: 1, b: 2 } }])
    await table.renameColumn('p', 'part')
    await table.renameColumn('st', 's t')
    await table.dropColumn('v')
    const detail = await table.detail()
    expect(detail.partitionColumns).toEqual(['part'])
    expect(detail.properties['delta.dataSkippingStatsColumns']).toBe('id,`s t`.a')
    expect(await table.rows()).toEqual([{ id: 1, part: 7, 's t': { a: 1, b: 2 } }])
  })

  test.each([
    ['nope', 'UNRESOLVED_COLUMN.WITH_SUGGESTION 42703'],
    ['id.x', 'INVALID_FIELD_NAME 42000'],
    ['p', 'DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN 0AKDC'],
    ['arr.element', 'DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE 0AKDC'],
    ['one.a', 'DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA 0AKDC'],
  ])('refuses to drop %s', async (column, code) => {
    const table = await tableOf('id INT, p INT, arr ARRAY<STRUCT<x: INT, y: INT>>, one STRUCT<a: INT>', mapped, 'p')
    expect(await refusal(table.dropColumn(column))).toBe(code)
  })

  test('passes a column that is not there with ifExists, without a version', async () => {
    const table = await tableOf('id INT, v INT', mapped)
    expect(await table.dropColumns(['nope'], { ifExists: true })).toEqual({ version: null })
    expect(await table.dropColumns(['nope', 'v'], { ifExists: true })).toEqual({ version: 1 })
  })

  test.each([
    ['id', 'iD', 'FIELD_ALREADY_EXISTS 42710'],
    ['id', 'V', 'FIELD_ALREADY_EXISTS 42710'],
    ['nope', 'x', 'UNRESOLVED_COLUMN.WITH_SUGGESTION 42703'],
    ['arr.element', 'e', 'INVALID_FIELD_NAME 42000'],
    ['id', '', 'DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES 42K05'],
  ])('refuses to rename %s to %s', async (column, to, code) => {
    const table = await tableOf('id INT, v INT, arr ARRAY<STRUCT<x: INT>>', mapped)
    expect(await refusal(table.renameColumn(column, to))).toBe(code)
  })

  test('refuses a clustering column', async () => {
    const table = await tableOf('id INT, st STRUCT<x: INT, y: INT>', mapped)
    await table.clusterBy(['st.x'])
    expect(await refusal(table.dropColumn('st'))).toBe('DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN 0AKDC')
    expect(await refusal(table.dropColumn('st.x'))).toBe('DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN 0AKDC')
    expect(await refusal(table.dropColumn('st.y'))).toBe('accepted')
    expect((await table.detail()).clusteringColumns).toEqual(['st.x'])
  })
})

describe('changing columns', () => {
  test('moves, comments, lets null in', async () => {
    const table = await tableOf('a INT NOT NULL, b STRING, st STRUCT<x: INT, y: INT>')
    await table.changeColumn('b', { position: 'first', comment: 'text' })
    expect(await told(table)).toBe(
      'CHANGE COLUMN {"column":"{\\"name\\":\\"b\\",\\"type\\":\\"string\\",\\"nullable\\":true,' +
        '\\"metadata\\":{\\"comment\\":\\"text\\"}}","position":"FIRST"}',
    )
    await table.changeColumn('st.x', { position: { after: 'y' } })
    await table.changeColumn('a', { nullable: true })
    expect(await columns(table)).toBe('b string, a int, st struct<y:int,x:int>')
  })

  test.each([
    [{ column: 'id', change: { nullable: false } }, '_LEGACY_ERROR_TEMP_2330 0A000'],
    [{ column: 'id', change: { type: 'BIGINT' } }, 'DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP 0AKDC'],
    [{ column: 'id', change: { type: 'SMALLINT' } }, 'NOT_SUPPORTED_CHANGE_COLUMN 0A000'],
    [{ column: 'v', change: { type: 'INT' } }, 'NOT_SUPPORTED_CHANGE_COLUMN 0A000'],
    [{ column: 'v', change: { type: 'VARCHAR(5)' } }, 'NOT_SUPPORTED_CHANGE_COLUMN 0A000'],
    [{ column: 'st', change: { type: 'STRUCT<a: INT, b: INT>' } }, 'CANNOT_UPDATE_FIELD.STRUCT_TYPE 0A000'],
    [{ column: 'arr', change: { type: 'ARRAY<BIGINT>' } }, 'CANNOT_UPDATE_FIELD.ARRAY_TYPE 0A000'],
    [{ column: 'arr', change: { type: 'INT' } }, 'NOT_SUPPORTED_CHANGE_COLUMN 0A000'],
    [{ column: 'arr.element', change: { type: 'BIGINT' } }, 'DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP 0AKDC'],
    [{ column: 'arr.element', change: { comment: 'x' } }, 'DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY 0AKDC'],
    [{ column: 'd', change: { type: 'TIMESTAMP' } }, 'DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP 0AKDC'],
    [{ column: 'id', change: { position: { after: 'nope' } } }, 'UNRESOLVED_COLUMN.WITH_SUGGESTION 42703'],
    [{ column: 'st.a', change: { position: { after: 'v' } } }, 'UNRESOLVED_COLUMN.WITH_SUGGESTION 42703'],
    [{ column: 'id', change: { default: '5' } }, 'WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED 0AKDE'],
  ] as const)('refuses %j', async ({ column, change }, code) => {
    const table = await tableOf('id INT, v STRING, st STRUCT<a: INT>, arr ARRAY<INT>, d DATE')
    expect(await refusal(table.changeColumn(column, change))).toBe(code)
    expect(await table.version()).toBe(0)
  })

  test('lets the length of a text grow and go, and gives a VOID column a type', async () => {
    const table = await tableOf('c CHAR(3), n VOID, id INT')
    await table.changeColumn('c', { type: 'VARCHAR(5)' })
    await table.changeColumn('n', { type: 'DECIMAL(5,2)' })
    expect((await table.schema()).fields[0]!.metadata).toEqual({ __CHAR_VARCHAR_TYPE_STRING: 'varchar(5)' })
    expect(await refusal(table.changeColumn('c', { type: 'VARCHAR(4)' }))).toBe('NOT_SUPPORTED_CHANGE_COLUMN 0A000')
    await table.changeColumn('c', { type: 'STRING' })
    expect((await table.schema()).fields[0]!.metadata).toEqual({})
    expect(await columns(table)).toBe('c string, n decimal(5,2), id int')
  })

  test('lets types grow where the table says so, and keeps a trace of each step', async () => {
    const table = await tableOf('id INT, a TINYINT, arr ARRAY<TINYINT>, m MAP<SMALLINT, STRUCT<x: INT>>', widening)
    await table.append([{ id: 1, a: 5, arr: [1, null], m: [{ key: 1, value: { x: 2 } }] }])
    await table.changeColumn('a', { type: 'SMALLINT' })
    await table.changeColumn('a', { type: 'DECIMAL(10,0)' })
    await table.changeColumn('arr.element', { type: 'BIGINT' })
    await table.changeColumn('m.key', { type: 'INT' })
    await table.changeColumn('m.value.x', { type: 'BIGINT' })
    const changes = JSON.parse(printSchema(await table.schema()).replaceAll('delta.typeChanges', 'changes'))
    expect(changes.fields[1].metadata.changes).toEqual([
      { toType: 'short', fromType: 'byte' },
      { toType: 'decimal(10,0)', fromType: 'short' },
    ])
    expect(changes.fields[2].metadata.changes).toEqual([{ toType: 'long', fromType: 'byte', fieldPath: 'element' }])
    expect(changes.fields[3].metadata.changes).toEqual([{ toType: 'integer', fromType: 'short', fieldPath: 'key' }])
    expect(changes.fields[3].type.valueType.fields[0].metadata.changes).toEqual([
      { toType: 'long', fromType: 'integer' },
    ])
    const [row] = await table.rows()
    expect(row).toMatchObject({ id: 1, arr: [1n, null], m: [{ key: 1, value: { x: 2n } }] })
    expect(String(row!.a)).toBe('5')
  })
})

describe('replacing columns', () => {
  test('puts them into another order with new ones among them', async () => {
    const table = await tableOf('id INT, v STRING, st STRUCT<a: INT, b: INT>')
    await table.append([{ id: 1, v: 'x', st: { a: 1, b: 2 } }])
    await table.replaceColumns("v STRING COMMENT 'text', n INT, id INT, st STRUCT<b: INT, c: INT, a: INT>")
    expect(await table.rows()).toEqual([{ v: 'x', n: null, id: 1, st: { b: 2, c: null, a: 1 } }])
  })

  test('refuses what would lose values', async () => {
    const table = await tableOf('id INT, v STRING')
    const code = 'DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP 0AKDC'
    expect(await refusal(table.replaceColumns('id STRING, v STRING'))).toBe(code)
    expect(await refusal(table.replaceColumns('id INT'))).toBe(code)
    expect(await refusal(table.replaceColumns('id INT NOT NULL, v STRING'))).toBe(code)
  })
})

describe('properties', () => {
  test('are stored in their own spelling, requests are not', async () => {
    const table = await tableOf('id INT')
    await table.setProperties({ 'DELTA.APPENDONLY': 'false', Key: 'V', 'delta.feature.DeletionVectors': 'supported' })
    expect(await told(table)).toBe(
      'SET TBLPROPERTIES {"properties":"{\\"delta.appendOnly\\":\\"false\\",\\"Key\\":\\"V\\",' +
        '\\"delta.feature.deletionvectors\\":\\"supported\\"}"}',
    )
    const detail = await table.detail()
    expect(detail.properties).toEqual({ 'delta.appendOnly': 'false', Key: 'V' })
    expect(detail.tableFeatures).toEqual(['appendOnly', 'deletionVectors', 'invariants'])
  })

  test('go away by their exact key, those of the format by any', async () => {
    const table = await tableOf('id INT', { Key: 'V', 'delta.appendOnly': 'false' })
    await table.unsetProperties(['KEY', 'DELTA.appendonly', 'absent'])
    expect((await table.detail()).properties).toEqual({ Key: 'V' })
    expect(await told(table)).toBe(
      'UNSET TBLPROPERTIES {"properties":"[\\"KEY\\",\\"delta.appendOnly\\",\\"absent\\"]","ifExists":"true"}',
    )
  })

  test('the description comes and goes', async () => {
    const table = await tableOf('id INT')
    await table.setComment('orders of the day')
    expect((await table.detail()).description).toBe('orders of the day')
    await table.setProperties({ comment: 'others' })
    expect((await table.detail()).description).toBe('others')
    await table.unsetProperties(['comment'])
    expect(await table.detail()).toMatchObject({ description: null, properties: {} })
  })

  test('turn column mapping on, under the names the files have', async () => {
    const table = await tableOf('id INT, b STRING', {}, 'b')
    await table.append([{ id: 1, b: 'x' }])
    await table.setProperties(mapped)
    expect(await table.detail()).toMatchObject({ minReaderVersion: 2, minWriterVersion: 7 })
    await table.renameColumn('id', 'number')
    await table.append([{ number: 2, b: 'y' }])
    expect((await table.rows()).map((row) => row.number)).toEqual([1, 2])
  })

  test.each([
    [{ 'delta.noSuchProperty': '1' }, 'DELTA_UNKNOWN_CONFIGURATION F0000'],
    [{ 'delta.checkpointInterval': '0' }, '_LEGACY_ERROR_TEMP_2045 0A000'],
    [{ 'delta.appendOnly': 'maybe' }, '_LEGACY_ERROR_TEMP_2045 0A000'],
    [{ 'delta.minReaderVersion': '4' }, '_LEGACY_ERROR_TEMP_2045 0A000'],
    [{ 'delta.isolationLevel': 'WriteSerializable' }, '_LEGACY_ERROR_TEMP_2045 0A000'],
    [{ 'delta.constraints.byprop': 'id < 1000' }, 'DELTA_ADD_CONSTRAINTS 0A000'],
    [{ 'delta.columnMapping.mode': 'id' }, 'DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE 0AKDC'],
    [{ 'delta.columnMapping.maxColumnId': '5' }, 'DELTA_CANNOT_MODIFY_TABLE_PROPERTY 42939'],
    [{ 'delta.rowTracking.materializedRowIdColumnName': 'x' }, 'DELTA_UNKNOWN_CONFIGURATION F0000'],
    [{ 'delta.dataSkippingStatsColumns': 'nope' }, 'DELTA_COLUMN_NOT_FOUND_IN_SCHEMA 42703'],
    [{ 'delta.dataSkippingStatsColumns': 'arr' }, 'DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE 0AKDC'],
    [{ 'delta.feature.nope': 'supported' }, 'DELTA_UNSUPPORTED_FEATURES_IN_CONFIG 56038'],
    [{ 'delta.feature.timestampNtz': 'maybe' }, 'DELTA_UNSUPPORTED_FEATURE_STATUS 0AKDE'],
    [{ 'delta.feature.clustering': 'supported' }, 'DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED 42000'],
    [{ 'delta.feature.catalogManaged': 'supported' }, 'DELTA_UNSUPPORTED_FEATURES_FOR_WRITE 56038'],
    [{ location: '/x' }, 'UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY 0A000'],
  ])('refuses %j', async (properties, code) => {
    const table = await tableOf('id INT, arr ARRAY<INT>')
    expect(await refusal(table.setProperties(properties as Record<string, string>))).toBe(code)
    expect(await table.version()).toBe(0)
  })
})

describe('clustering, features, protocol', () => {
  test('columns to cluster by come, change and go', async () => {
    const table = await tableOf('id INT, a INT, st STRUCT<x: INT>, arr ARRAY<INT>')
    await table.clusterBy(['id', 'ST.X'])
    expect(await told(table)).toBe('CLUSTER BY {"oldClusteringColumns":"","newClusteringColumns":"id,st.x"}')
    expect(await table.detail()).toMatchObject({
      clusteringColumns: ['id', 'st.x'],
      tableFeatures: ['appendOnly', 'clustering', 'domainMetadata', 'invariants'],
    })
    await table.clusterBy(['a'])
    expect(await table.clusterBy([])).toEqual({ version: 3 })
    expect((await table.detail()).clusteringColumns).toEqual([])
    for (const [columns, code] of [
      [['nope'], 'DELTA_COLUMN_NOT_FOUND_IN_SCHEMA 42703'],
      [['a', 'A'], 'DELTA_DUPLICATE_COLUMNS_FOUND.CLUSTER_BY 42711'],
      [['arr'], 'DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED 0A000'],
      [['id', 'a', 'st.x', 'arr', 'id'], 'DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS 54000'],
    ] as const) {
      expect(await refusal(table.clusterBy(columns))).toBe(code)
    }
  })

  test('a partitioned table is not clustered, a table that is not clustered stays so without a version', async () => {
    const table = await tableOf('id INT, p INT', {}, 'p')
    const code = 'DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED 42000'
    expect(await refusal(table.clusterBy(['id']))).toBe(code)
  })

  test('a feature is listed by name', async () => {
    const table = await tableOf('id INT')
    await table.addFeatureSupport('v2checkpoint')
    await table.addFeatureSupport('typeWidening-preview')
    const { tableFeatures } = await table.detail()
    expect(tableFeatures).toEqual(['appendOnly', 'invariants', 'typeWidening-preview', 'v2Checkpoint'])
    expect(await refusal(table.addFeatureSupport('nope'))).toBe('DELTA_UNSUPPORTED_FEATURES_IN_CONFIG 56038')
  })

  test('the protocol grows to the lowest that holds what is asked for', async () => {
    const table = await tableOf('id INT')
    expect(await table.upgradeTableProtocol(1, 2)).toEqual({ version: null })
    expect(await table.upgradeTableProtocol(3, 7)).toEqual({ version: null })
    await table.upgradeTableProtocol(1, 4)
    expect(await told(table)).toBe(
      'UPGRADE PROTOCOL {"newProtocol":"{\\"minReaderVersion\\":1,\\"minWriterVersion\\":4,' +
        '\\"readerFeatures\\":null,\\"writerFeatures\\":null}"}',
    )
    await table.addFeatureSupport('deletionVectors')
    expect(await refusal(table.upgradeTableProtocol(2, 5))).toBe('DELTA_INVALID_PROTOCOL_DOWNGRADE KD004')
  })
})
