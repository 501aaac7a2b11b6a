import { describe, expect, it } from 'vitest'
import { checkWorkerConfig, parseWorkerConfig } from './config.ts'
import { destinationSettings, routeSettings, serverSettings, workerSettings } from './settings.ts'
import { sourceSettings } from './source-settings.ts'

const source = { id: 's', type: 'file', path: 'in.ndjson', schema: 'id BIGINT, host STRING, ratio FLOAT' }
const route = { source: 's', destination: 'd' }
const table = { id: 'd', type: 'delta', location: '/lake/t' }
const unity = {
  id: 'd',
  type: 'delta',
  region: 'us-west-2',
  unityCatalog: {
    workspace: 'https://dbc.cloud.databricks.com',
    table: 'a.b.c',
    clientId: 'x',
    clientSecret: 'SECRET',
  },
}

const configured = (destination: object, more: object = {}) => ({
  sources: [source],
  routes: [route],
  destinations: [destination],
  ...more,
})
const faultsOf = (json: unknown) =>
  checkWorkerConfig(json).faults.map((fault) => `${fault.details.key}: ${fault.message}`)

describe('a good configuration', () => {
  it('is read with its defaults', () => {
    const config = parseWorkerConfig(configured(table, { name: 'w' }))
    expect(config).toMatchObject({
      name: 'w',
      server: undefined,
      sources: [{ id: 's', type: 'file', format: 'ndjson', tail: false }],
      routes: [{ id: 's-to-d', isIdentity: true }],
      destinations: [
        { fileIntervalSecs: 300, bufferBytes: 134_217_728, stallAfterSecs: 300, compression: 'zstd', partitionBy: [] },
      ],
    })
  })

  it.each([['s3://bucket/prefix'], ['az://container/prefix'], ['file:///lake/t'], ['lake/t'], ['C:\\lake']])(
    'takes the location %s',
    (location) => {
      expect(faultsOf(configured({ ...table, location }))).toEqual([])
    },
  )

  it('takes a unityCatalog table', () => {
    expect(faultsOf(configured(unity))).toEqual([])
    const local = { ...unity, unityCatalog: { ...unity.unityCatalog, workspace: 'http://127.0.0.1:8080' } }
    expect(faultsOf(configured(local))).toEqual([])
  })
})

const KEY = 'destinations[0]'
describe('what a destination is refused for', () => {
  it.each<[object, string]>([
    [{ type: 'delta', location: '/x' }, `${KEY}.id: names no id`],
    [{ ...table, type: 'iceberg' }, `${KEY}.type: the destination type "iceberg" is not known`],
    [{ id: 'd', type: 'delta' }, `${KEY}: names both a location and a unityCatalog table, or names no table`],
    [{ ...unity, location: '/x' }, `${KEY}: names both a location and a unityCatalog table, or names no table`],
    [
      { ...table, location: 'gs://bucket/x' },
      `${KEY}.location: the location gs://bucket/x is not an s3:// address, a folder or an az:// address`,
    ],
    [{ ...table, partitionBy: ['nope'] }, `${KEY}.partitionBy: partitionBy names nope, which the record does not have`],
    [{ ...table, partitionBy: ['id', 'ID'] }, `${KEY}.partitionBy: partitionBy names ID twice`],
    [
      { ...table, partitionBy: ['ratio'] },
      `${KEY}.partitionBy: the table is partitioned by ratio, a float column, which this destination writes no partition value of`,
    ],
    [{ ...table, endpoint: 'minio:9000' }, `${KEY}.endpoint: the endpoint minio:9000 is not an http(s) address`],
    [
      { ...table, endpoint: 'ann:hidden@minio:9000' },
      `${KEY}.endpoint: the endpoint …@minio:9000 is not an http(s) address`,
    ],
    [{ ...table, accessKeyId: 'A' }, `${KEY}.accessKeyId: names accessKeyId without secretAccessKey`],
    [{ ...table, secretAccessKey: 'A' }, `${KEY}.secretAccessKey: names secretAccessKey without accessKeyId`],
    [{ ...table, sessionToken: 'A' }, `${KEY}.sessionToken: names sessionToken without accessKeyId`],
    [{ ...table, externalId: 'A' }, `${KEY}.externalId: names externalId without roleArn`],
    [{ ...table, authEndpoint: 'http://x' }, `${KEY}.authEndpoint: names authEndpoint without roleArn`],
    [{ ...table, forcePathStyle: 'yes' }, `${KEY}.forcePathStyle: forcePathStyle is "yes"; it is true or false`],
    [{ ...table, compression: 'gzip' }, `${KEY}.compression: compression is "gzip"; it is zstd, snappy or none`],
    [
      { ...table, multipartPartBytes: 5_242_879 },
      `${KEY}.multipartPartBytes: multipartPartBytes is 5242879; it is 5242880 or more`,
    ],
    [{ ...table, fileIntervalSecs: 0 }, `${KEY}.fileIntervalSecs: fileIntervalSecs is 0; it is 1 to 3600`],
    [{ ...table, fileIntervalSecs: 3601 }, `${KEY}.fileIntervalSecs: fileIntervalSecs is 3601; it is 1 to 3600`],
    [{ ...table, fileIntervalSecs: 1.5 }, `${KEY}.fileIntervalSecs: fileIntervalSecs is 1.5; it is 1 to 3600`],
    [{ ...table, bufferBytes: 1_048_575 }, `${KEY}.bufferBytes: bufferBytes is 1048575; it is 1048576 or more`],
    [{ ...table, stallAfterSecs: 59 }, `${KEY}.stallAfterSecs: stallAfterSecs is 59; it is 60 or more`],
    [{ ...table, requestTimeoutSecs: 601 }, `${KEY}.requestTimeoutSecs: requestTimeoutSecs is 601; it is 1 to 600`],
    [{ ...unity, region: undefined }, `${KEY}.region: names no region beside a unityCatalog table`],
    [
      { ...unity, accessKeyId: 'A', secretAccessKey: 'B', roleArn: 'C', authEndpoint: 'D' },
      `${KEY}.accessKeyId: names accessKeyId, secretAccessKey, roleArn, authEndpoint beside a unityCatalog table`,
    ],
  ])('%j', (destination, expected) => {
    expect(faultsOf(configured(destination))).toContain(expected)
  })

  it.each<[object, string]>([
    [
      { workspace: 'https://host/path' },
      'workspace: the workspace https://host/path is not an https:// address of a workspace',
    ],
    [
      { workspace: 'http://elsewhere' },
      'workspace: the workspace http://elsewhere is not an https:// address of a workspace',
    ],
    [{ workspace: 'host' }, 'workspace: the workspace host is not an https:// address of a workspace'],
    [{ table: 'a.b' }, 'table: the table a.b is not catalog.schema.table'],
    [{ clientId: undefined }, 'clientId: names no clientId'],
    [{ clientSecret: undefined }, 'clientSecret: names no clientSecret'],
    [{ extra: 1 }, 'extra: the key extra is not known; the keys here are workspace, table, clientId, clientSecret'],
  ])('unityCatalog with %j', (change, expected) => {
    const destination = { ...unity, unityCatalog: { ...unity.unityCatalog, ...change } }
    expect(faultsOf(configured(destination))).toEqual([`${KEY}.unityCatalog.${expected}`])
  })

  it('routes that write different records', () => {
    const json = {
      sources: [source],
      routes: [route, { ...route, id: 'second', steps: [{ drop: ['host'] }] }],
      destinations: [table],
    }
    expect(faultsOf(json)).toEqual([
      `${KEY}: the routes writing here write different records, and a table has one schema`,
    ])
  })
})

describe('what else is refused', () => {
  it.each<[unknown, string]>([
    [[], ': the configuration is not a JSON object'],
    ['x', ': the configuration is not a JSON object'],
    [
      configured(table, { sinks: [] }),
      'sinks: the key sinks is not known; the keys here are name, sources, routes, destinations, server',
    ],
    [configured(table, { sources: {} }), 'sources: sources is {}; it is a list'],
    [configured(table, { sources: [1] }), 'sources[0]: sources[0] is 1; it is an object'],
    [configured(table, { sources: [source, source] }), 'sources[1].id: the id s is used twice'],
    [configured(table, { sources: [{ ...source, type: undefined }] }), 'sources[0].type: names no type'],
    [
      configured(table, { sources: [{ ...source, schema: 'id BIGGINT' }] }),
      'sources[0].schema: the schema cannot be read: BIGGINT is not a type',
    ],
    [
      configured(table, { sources: [{ ...source, delimiter: '' }] }),
      'sources[0].delimiter: delimiter is ""; it is one character',
    ],
    [
      configured(table, { routes: [{ ...route, source: 'x' }] }),
      'routes[0].source: names the source x, which the configuration does not have',
    ],
    [
      configured(table, { routes: [{ ...route, destination: 'x' }] }),
      'routes[0].destination: names the destination x, which the configuration does not have',
    ],
    [configured(table, { routes: [{ ...route, steps: {} }] }), 'routes[0].steps: steps is {}; it is a list'],
    [
      configured(table, { routes: [{ ...route, steps: [{ drop: ['x'] }] }] }),
      'routes[0].steps[0]: step 1 cannot be taken: there is no field x; the fields are id, host, ratio',
    ],
    [configured(table, { server: { port: 70_000 } }), 'server.port: port is 70000; it is 0 to 65535'],
    [
      configured(table, { server: { tls: true } }),
      'server.tls: the key tls is not known; the keys here are host, port',
    ],
    [
      configured(table, { sources: [{ id: 's', type: 'http', schema: 'id BIGINT' }] }),
      'sources[0].type: names an http source without a server',
    ],
  ])('%j', (json, expected) => {
    expect(faultsOf(json)).toContain(expected)
  })

  it('all faults are told at once, each with its key and whose it is', () => {
    const json = configured({ ...table, fileIntervalSecs: 0, colour: 1 }, { server: 1 })
    expect(() => parseWorkerConfig(json)).toThrow(
      expect.objectContaining({
        code: 'WORKER_CONFIG_REFUSED',
        details: expect.objectContaining({
          count: 3,
          errors: [
            expect.objectContaining({
              code: 'WORKER_CONFIG_UNKNOWN_KEY',
              details: expect.objectContaining({ key: 'destinations[0].colour', destination: 'd' }),
            }),
            expect.objectContaining({ code: 'WORKER_CONFIG_VALUE' }),
            expect.objectContaining({
              code: 'WORKER_CONFIG_VALUE',
              details: expect.objectContaining({ key: 'server' }),
            }),
          ],
        }),
      }),
    )
  })

  it('one fault is thrown as it is', () => {
    expect(() => parseWorkerConfig(configured({ ...table, fileIntervalSecs: 0 }))).toThrow(
      expect.objectContaining({ code: 'WORKER_CONFIG_VALUE', message: 'fileIntervalSecs is 0; it is 1 to 3600' }),
    )
  })

  it('keys that every object inherits are no settings and no types', () => {
    expect(faultsOf(configured({ ...table, toString: 1 }))).toHaveLength(1)
    expect(faultsOf(configured({ ...table, type: 'constructor' }))).toHaveLength(2)
    expect(faultsOf(JSON.parse('{"__proto__":{"sources":[]}}'))).toHaveLength(1)
  })
})

it('every setting says what it is and shows an example that its own check takes', () => {
  const groups = [
    workerSettings,
    routeSettings,
    serverSettings,
    ...Object.values(sourceSettings),
    ...Object.values(destinationSettings),
  ]
  for (const [name, setting] of groups.flatMap((group) => Object.entries(group))) {
    expect(setting.description, name).not.toBe('')
    expect(setting.schema.safeParse(setting.example).success, name).toBe(true)
  }
})
