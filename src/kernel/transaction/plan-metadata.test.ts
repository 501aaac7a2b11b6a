import { describe, expect, test } from 'vitest'
import {
  arrayType,
  binaryType,
  field,
  integerType,
  longType,
  mapType,
  parseSchema,
  type StructType,
  stringType,
  structType,
  timestampNtzType,
} from '../../schema/index.ts'
import { planMetadataChange, planNewTable, type TableSpec } from './plan-metadata.ts'

const schema = structType([field('id', longType), field('country', stringType)])
const plan = (spec: Partial<TableSpec> = {}) => planNewTable({ schema, ...spec }, { nowMs: 1000, path: 'here' })
const properties = (values: Record<string, string>) => ({ configuration: new Map(Object.entries(values)) })
const withCode = (code: string, details: object = {}) =>
  expect.objectContaining({ code, details: expect.objectContaining(details) })

describe('UP-28: the protocol of a new table is the lowest that holds what it uses', () => {
  test.each<[string, Partial<TableSpec>, number, number, string[], string[]]>([
    ['nothing', {}, 1, 2, [], []],
    ['appendOnly', properties({ 'delta.appendOnly': 'true' }), 1, 2, [], []],
    ['change feed', properties({ 'delta.enableChangeDataFeed': 'true' }), 1, 7, [], ['changeDataFeed']],
    ['column mapping', properties({ 'delta.columnMapping.mode': 'name' }), 2, 7, [], ['columnMapping']],
    [
      'deletion vectors',
      properties({ 'delta.enableDeletionVectors': 'true' }),
      3,
      7,
      ['deletionVectors'],
      ['deletionVectors'],
    ],
    ['v2 policy', properties({ 'delta.checkpointPolicy': 'v2' }), 3, 7, ['v2Checkpoint'], ['v2Checkpoint']],
    ['in-commit timestamps', properties({ 'delta.enableInCommitTimestamps': 'true' }), 1, 7, [], ['inCommitTimestamp']],
    ['a feature asked for', properties({ 'delta.feature.domainMetadata': 'supported' }), 1, 7, [], ['domainMetadata']],
    ['checkConstraints asked for', properties({ 'delta.feature.checkConstraints': 'enabled' }), 1, 3, [], []],
    ['versions asked for', properties({ 'delta.minReaderVersion': '2', 'delta.minWriterVersion': '5' }), 2, 5, [], []],
    [
      'lower versions asked for',
      properties({ 'delta.minReaderVersion': '1', 'delta.minWriterVersion': '1' }),
      1,
      2,
      [],
      [],
    ],
    [
      'timestamp_ntz, deep inside',
      { schema: structType([field('a', arrayType(structType([field('t', timestampNtzType)])))]) },
      3,
      7,
      ['timestampNtz'],
      ['timestampNtz'],
    ],
  ])('%s', (_, spec, minReaderVersion, minWriterVersion, readers, writers) => {
    const { protocol, metadata } = plan(spec)
    expect(protocol).toMatchObject({ minReaderVersion, minWriterVersion })
    expect(protocol.readerFeatures ?? []).toEqual(readers)
    const expected = minWriterVersion < 7 ? undefined : ['appendOnly', ...writers, 'invariants'].sort()
    expect(protocol.writerFeatures).toEqual(expected)
    for (const key of metadata.configuration.keys()) expect(key).not.toMatch(/feature\.|min(Reader|Writer)Version/)
  })

  test('readerFeatures is left out unless the reader version is 3', () => {
    expect(Object.hasOwn(plan(properties({ 'delta.enableChangeDataFeed': 'true' })).protocol, 'readerFeatures')).toBe(
      false,
    )
  })
})

describe('what a new table may not be', () => {
  test.each<[string, Partial<TableSpec>, object]>([
    ['COLUMN_ALREADY_EXISTS', { schema: structType([field('a', longType), field('A', longType)]) }, { column: 'A' }],
    [
      'COLUMN_ALREADY_EXISTS',
      {
        schema: structType([field('m', mapType(stringType, structType([field('x', longType), field('X', longType)])))]),
      },
      { column: 'm.value.X' },
    ],
    ['DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES', { schema: structType([field('a b', longType)]) }, { column: 'a b' }],
    ['DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES', { schema: structType([field('', longType)]) }, { column: '' }],
    ['LAKE_PARTITION_COLUMN_NOT_FOUND', { partitionColumns: ['zz'] }, { column: 'zz' }],
    ['COLUMN_ALREADY_EXISTS', { partitionColumns: ['country', 'COUNTRY'] }, { column: 'COUNTRY' }],
    ['ALL_PARTITION_COLUMNS_NOT_ALLOWED', { partitionColumns: ['id', 'country'] }, {}],
    [
      'INVALID_PARTITION_COLUMN_DATA_TYPE',
      {
        schema: structType([field('a', longType), field('m', mapType(stringType, integerType))]),
        partitionColumns: ['m'],
      },
      { column: 'm', type: 'map<string,int>' },
    ],
    ['DELTA_UNKNOWN_CONFIGURATION', properties({ 'delta.noSuchProperty': '1' }), { property: 'delta.noSuchProperty' }],
    [
      'DELTA_UNSUPPORTED_FEATURES_IN_CONFIG',
      properties({ 'delta.feature.noSuchFeature': 'supported' }),
      { feature: 'noSuchFeature' },
    ],
    ['DELTA_UNSUPPORTED_FEATURE_STATUS', properties({ 'delta.feature.deletionVectors': 'on' }), { value: 'on' }],
    ['DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED', properties({ 'delta.isolationLevel': 'WriteSerializable' }), {}],
    [
      'DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED',
      properties({ 'delta.logRetentionDuration': 'interval 1 day' }),
      {},
    ],
    ['DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED', properties({ 'delta.columnMapping.maxColumnId': '9' }), {}],
    [
      'DELTA_UNSUPPORTED_FEATURES_FOR_WRITE',
      properties({ 'delta.feature.catalogManaged': 'supported' }),
      { features: ['catalogManaged'] },
    ],
    [
      'RESERVED_CDC_COLUMNS_ON_WRITE',
      {
        ...properties({ 'delta.enableChangeDataFeed': 'true' }),
        schema: structType([field('id', longType), field('_Change_Type', stringType)]),
      },
      {},
    ],
  ])('%s', (code, spec, details) => {
    expect(() => plan(spec)).toThrow(withCode(code, details))
  })

  test('but it may be empty, and partitioned by bytes', () => {
    expect(plan({ schema: structType([]) }).metadata.partitionColumns).toEqual([])
    const bytes = structType([field('a', longType), field('B', binaryType)])
    expect(plan({ schema: bytes, partitionColumns: ['b'] }).metadata.partitionColumns).toEqual(['B'])
  })

  test('any name goes where columns are mapped', () => {
    const odd = { schema: structType([field('a b,{=}', longType)]) }
    expect(plan({ ...odd, ...properties({ 'delta.columnMapping.mode': 'name' }) }).metadata.schemaString).toContain(
      'a b,{=}',
    )
  })
})

const tableWith = (spec: Partial<TableSpec> = {}) => {
  const { metadata, protocol } = plan(spec)
  return { metadata, protocol, domains: new Map() }
}
const schemaOf = (metadata: { schemaString?: string }): StructType => parseSchema(metadata.schemaString!)

describe('changing a table', () => {
  test('setting and unsetting properties, keys of the format regardless of their case, others exactly', () => {
    const table = tableWith(properties({ 'delta.appendOnly': 'true', owner: 'me', keep: 'x' }))
    const change = { set: new Map([['DELTA.APPENDONLY', 'false']]), unset: ['OWNER', 'keep', 'gone'] }
    expect(planMetadataChange(table, change, 'here').metadata.configuration).toEqual(
      new Map([
        ['owner', 'me'],
        ['delta.appendOnly', 'false'],
      ]),
    )
  })

  test('a feature comes with its property, and none is ever taken away', () => {
    const table = tableWith(properties({ 'delta.feature.vacuumProtocolCheck': 'supported' }))
    const set = new Map([['delta.enableDeletionVectors', 'true']])
    const planned = planMetadataChange(table, { set }, 'here')
    expect(planned.protocol?.readerFeatures).toEqual(['deletionVectors', 'vacuumProtocolCheck'])
    const off = { protocol: planned.protocol!, metadata: planned.metadata, domains: new Map() }
    expect(planMetadataChange(off, { unset: ['delta.enableDeletionVectors'] }, 'here').protocol).toBeUndefined()
  })

  test('a type that needs a feature asks for it by hand', () => {
    const table = tableWith()
    const wider = structType([...schema.fields, field('t', timestampNtzType)])
    expect(() => planMetadataChange(table, { schema: wider }, 'here')).toThrow(
      withCode('DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT', { features: ['timestampNtz'] }),
    )
    const set = new Map([['delta.feature.timestampNtz', 'supported']])
    expect(planMetadataChange(table, { schema: wider, set }, 'here').protocol?.readerFeatures).toEqual(['timestampNtz'])
  })

  test('mapping turned on calls old columns in files what they were called, new ones something new', () => {
    const table = tableWith()
    const mapped = planMetadataChange(table, { set: new Map([['delta.columnMapping.mode', 'name']]) }, 'here')
    const fields = schemaOf(mapped.metadata).fields
    expect(
      fields.map((f) => [f.metadata['delta.columnMapping.id'], f.metadata['delta.columnMapping.physicalName']]),
    ).toEqual([
      [1, 'id'],
      [2, 'country'],
    ])
    const after = { protocol: mapped.protocol!, metadata: mapped.metadata, domains: new Map() }
    const wider = structType([...fields, field('new', structType([field('inner', longType)]))])
    const added = schemaOf(planMetadataChange(after, { schema: wider }, 'here').metadata).fields[2]!
    expect(added.metadata['delta.columnMapping.id']).toBe(3)
    expect(added.metadata['delta.columnMapping.physicalName']).toMatch(/^col-[0-9a-f-]{36}$/)
  })

  test('an id is never given out twice, also after its column is gone', () => {
    const table = tableWith(properties({ 'delta.columnMapping.mode': 'name' }))
    const [first] = schemaOf(table.metadata).fields
    const dropped = planMetadataChange(table, { schema: structType([first!]) }, 'here').metadata
    const wider = structType([first!, field('again', stringType)])
    const again = planMetadataChange({ ...table, metadata: dropped }, { schema: wider }, 'here').metadata
    expect(schemaOf(again).fields[1]?.metadata['delta.columnMapping.id']).toBe(3)
  })

  test.each([
    ['none', 'id'],
    ['name', 'none'],
    ['name', 'id'],
  ])('the mapping mode does not go from %s to %s', (from, to) => {
    const table = tableWith(from === 'none' ? {} : properties({ 'delta.columnMapping.mode': from }))
    expect(() => planMetadataChange(table, { set: new Map([['delta.columnMapping.mode', to]]) }, 'here')).toThrow(
      withCode('DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE', { from, to }),
    )
  })
})
