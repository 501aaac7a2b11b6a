import { describe, expect, it } from 'vitest'
import type { Metadata, Protocol } from '../../../kernel/index.ts'
import {
  arrayType,
  binaryType,
  type DataType,
  decimalType,
  field,
  integerType,
  longType,
  mapType,
  printSchema,
  type StructType,
  stringType,
  structType,
  timestampNtzType,
  voidType,
} from '../../../schema/index.ts'
import { metadataWithColumns, protocolFor } from './add-columns.ts'
import { faultsOfTable } from './check-table.ts'
import { fitRecord } from './fit-record.ts'

interface Change {
  readonly protocol?: Partial<Protocol>
  readonly configuration?: Record<string, string>
  readonly fields?: StructType['fields']
  readonly partitionColumns?: readonly string[]
  readonly provider?: string
}

const id = field('id', longType)
function metadataOf({
  configuration = {},
  fields = [id],
  partitionColumns = [],
  provider = 'parquet',
}: Change): Metadata {
  return {
    id: 'x',
    format: { provider, options: new Map() },
    schemaString: printSchema(structType(fields)),
    partitionColumns,
    configuration: new Map(Object.entries(configuration)),
  }
}

function faultsOf(change: Change): string[] {
  const protocol: Protocol = { minReaderVersion: 1, minWriterVersion: 2, ...change.protocol }
  const schema = structType(change.fields ?? [id])
  return faultsOfTable({ protocol, metadata: metadataOf(change), schema }).map((fault) => fault.message)
}

const features = (...writerFeatures: string[]) => ({
  protocol: { minReaderVersion: 3, minWriterVersion: 7, readerFeatures: [], writerFeatures },
})
const known =
  'appendOnly invariants checkConstraints changeDataFeed columnMapping v2Checkpoint domainMetadata deletionVectors vacuumProtocolCheck timestampNtz'.split(
    ' ',
  )

describe('tables it appends to', () => {
  it.each<[string, Change]>([
    ['plain', {}],
    ['every feature it knows, named', features(...known)],
    ['legacy writer 4', { protocol: { minWriterVersion: 4 } }],
    [
      'legacy writer 5, mapped by name',
      {
        protocol: { minReaderVersion: 2, minWriterVersion: 5 },
        configuration: { 'delta.columnMapping.mode': 'name', 'delta.columnMapping.maxColumnId': '1' },
      },
    ],
    ['legacy writer 6', { protocol: { minReaderVersion: 2, minWriterVersion: 6 } }],
    ['partitioned by a string', { fields: [id, field('p', stringType)], partitionColumns: ['p'] }],
    ['names in different structs', { fields: [id, field('s', structType([field('ID', longType)]))] }],
  ])('%s', (_, change) => {
    expect(faultsOf(change)).toEqual([])
  })
})

const notNull = (type: DataType) => field('c', type, false)
const carrying = (metadata: Record<string, string | number>) => ({ fields: [id, field('c', longType, true, metadata)] })
const inside = (type: DataType) => ({ fields: [id, field('s', type)] })

describe('tables it refuses', () => {
  it.each<[Change, string]>([
    [
      features('rowTracking', 'appendOnly', 'clustering'),
      'the table needs writer version 7, reader version 3, or the writer feature rowTracking, clustering',
    ],
    [
      { protocol: { minReaderVersion: 4, minWriterVersion: 8 } },
      'the table needs writer version 8, reader version 4, or the writer feature none',
    ],
    [
      {
        protocol: {
          minReaderVersion: 3,
          minWriterVersion: 7,
          readerFeatures: ['variantType'],
          writerFeatures: ['variantType'],
        },
      },
      'the table needs writer version 7, reader version 3, or the writer feature variantType',
    ],
    [{ provider: 'orc' }, "the table's files are orc, not Parquet"],
    [
      { configuration: { 'delta.columnMapping.mode': 'id' } },
      'the table maps columns by id, which this writer does not',
    ],
    [
      { configuration: { 'delta.columnMapping.mode': 'name' } },
      'the table maps columns by id, which this writer does not',
    ],
    [{ configuration: { 'delta.constraints.positive': 'id > 0' } }, 'the table has the check constraint positive'],
    [
      carrying({ 'delta.generationExpression': 'id + 1' }),
      "the table's column c carries a generation expression, which this writer cannot honour",
    ],
    [
      carrying({ 'delta.identity.start': 1, 'delta.identity.step': 1 }),
      "the table's column c carries an identity, which this writer cannot honour",
    ],
    [carrying({ CURRENT_DEFAULT: '7' }), "the table's column c carries a default, which this writer cannot honour"],
    [
      carrying({ __CHAR_VARCHAR_TYPE_STRING: 'varchar(3)' }),
      "the table's column c carries a length, which this writer cannot honour",
    ],
    [
      carrying({ 'delta.invariants': '{}' }),
      "the table's column c carries an invariant, which this writer cannot honour",
    ],
    [
      { fields: [id, notNull(longType)] },
      "the table's column c is not nullable, and this destination writes nullable columns only",
    ],
    [
      inside(structType([notNull(longType)])),
      "the table's column s.c is not nullable, and this destination writes nullable columns only",
    ],
    [
      inside(arrayType(longType, false)),
      "the table's column s.element is not nullable, and this destination writes nullable columns only",
    ],
    [
      inside(mapType(stringType, structType([notNull(longType)]))),
      "the table's column s.value.c is not nullable, and this destination writes nullable columns only",
    ],
    [{ fields: [field('v', voidType)] }, 'the table has no column a data file can hold'],
    [
      { configuration: { 'delta.checkpoint.writeStatsAsJson': 'false' } },
      "the table's checkpoints keep no statistics as JSON",
    ],
    [
      { configuration: { 'delta.checkpoint.writeStatsAsStruct': 'TRUE' } },
      "the table's checkpoints keep no statistics as JSON",
    ],
    [
      { fields: [id, field('p', decimalType(10, 2))], partitionColumns: ['p'] },
      'the table is partitioned by p, a decimal(10,2) column, which this destination writes no partition value of',
    ],
    [
      { fields: [id, field('p', binaryType)], partitionColumns: ['p'] },
      'the table is partitioned by p, a binary column, which this destination writes no partition value of',
    ],
    [
      { fields: [id, field('p', timestampNtzType)], partitionColumns: ['p'] },
      'the table is partitioned by p, a timestamp_ntz column, which this destination writes no partition value of',
    ],
    [{ fields: [id, field('ID', longType)] }, 'the table has the columns id and ID, which differ only in case'],
    [
      inside(arrayType(structType([field('a', longType), field('A', longType)]))),
      'the table has the columns s.element.a and s.element.A, which differ only in case',
    ],
  ])('%j', (change, message) => {
    expect(faultsOf(change)).toEqual([message])
  })
})

describe('records and tables together', () => {
  const table = structType([
    id,
    field('s', structType([field('x', integerType)])),
    field('l', arrayType(longType)),
    field('m', mapType(stringType, longType)),
  ])
  const record = (...fields: StructType['fields']) => structType(fields)

  it.each<[StructType, string]>([
    [record(field('ID', stringType)), 'id is long in the table, and the record writes ID there as string'],
    [record(field('s', stringType)), 's is struct<x:int> in the table, and the record writes s there as string'],
    [
      record(field('s', structType([field('x', longType)]))),
      's.x is integer in the table, and the record writes s.x there as long',
    ],
    [
      record(field('l', arrayType(stringType))),
      'l is array<bigint> in the table, and the record writes l there as array<string>',
    ],
    [
      record(field('m', mapType(stringType, stringType))),
      'm is map<string,bigint> in the table, and the record writes m there as map<string,string>',
    ],
  ])('%j contradicts it', (wanted, message) => {
    expect(fitRecord(wanted, table).faults.map((fault) => fault.message)).toEqual([message])
  })

  it('keeps the spelling and the order of the table, adds at the end, inside too', () => {
    const wanted = record(
      field('new', longType),
      field('S', structType([field('y', longType), field('X', integerType)])),
    )
    const { schema, added, faults } = fitRecord(wanted, table)
    expect(faults).toEqual([])
    expect(added).toEqual(['new', 'S.y'].map((path) => path.replace('S', 's')))
    expect(schema.fields.map((f) => f.name)).toEqual(['id', 's', 'l', 'm', 'new'])
    expect(schema.fields[1]!.type).toEqual(structType([field('x', integerType), field('y', longType)]))
  })
})

describe('columns added', () => {
  it('change the schema alone', () => {
    const before = metadataOf({ configuration: { a: 'b' }, partitionColumns: ['id'] })
    const after = metadataWithColumns(before, structType([id, field('n', longType)]))
    expect(after).toEqual({ ...before, schemaString: printSchema(structType([id, field('n', longType)])) })
  })

  it('get ids and physical names where columns are mapped, at any depth', () => {
    const mapped = field('id', longType, true, { 'delta.columnMapping.id': 4, 'delta.columnMapping.physicalName': 'p' })
    const before = metadataOf({
      fields: [mapped],
      configuration: { 'delta.columnMapping.mode': 'name', 'delta.columnMapping.maxColumnId': '4' },
    })
    const after = metadataWithColumns(
      before,
      structType([mapped, field('s', arrayType(structType([field('x', longType)])))]),
    )
    expect(after.configuration.get('delta.columnMapping.maxColumnId')).toBe('6')
    expect(after.schemaString).toContain('"delta.columnMapping.id":5')
    expect(after.schemaString).toContain('"delta.columnMapping.id":6')
    expect(after.schemaString!.match(/"delta.columnMapping.physicalName":"col-/g)).toHaveLength(2)
    expect(after.schemaString).toContain('"delta.columnMapping.physicalName":"p"')
  })

  it('ask for a feature only where they need it, and keep what was implied', () => {
    const plain = structType([id])
    const local = structType([field('s', arrayType(structType([field('t', timestampNtzType)])))])
    expect(protocolFor({ minReaderVersion: 1, minWriterVersion: 2 }, plain)).toBeUndefined()
    expect(protocolFor({ minReaderVersion: 1, minWriterVersion: 3 }, local)).toEqual({
      minReaderVersion: 3,
      minWriterVersion: 7,
      readerFeatures: ['timestampNtz'],
      writerFeatures: ['appendOnly', 'invariants', 'checkConstraints', 'timestampNtz'],
    })
  })
})
