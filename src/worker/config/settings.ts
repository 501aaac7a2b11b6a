/** The settings of routes, destinations and the worker itself. */
import { choice, integer, json, optionalText, type Settings, text, textList, textOr } from './setting.ts'
import { bucketSettings, idSetting, requestTimeoutSecs } from './shared-settings.ts'

const MIB = 1024 * 1024
const LARGEST = Number.MAX_SAFE_INTEGER

export const routeSettings = {
  id: optionalText({
    description: 'what the route is called; SOURCE-to-DESTINATION when absent',
    example: 'clicks-to-lake',
  }),
  source: text({ description: 'the id of the source it reads', example: 'clicks' }),
  destination: text({ description: 'the id of the destination it writes to', example: 'lake' }),
  unknownFields: choice(['ignore', 'reject'], {
    description:
      'what becomes of fields that `schema` of the source does not have: passed over and counted, or the record refused',
    example: 'reject',
  }),
  steps: json('a list of steps', {
    description: 'what is done to each record, in order',
    example: [{ drop: ['note'] }],
  }),
} satisfies Settings

const deliverySettings = {
  id: idSetting,
  type: text({ description: 'what kind of destination it is', example: 'delta' }),
  fileIntervalSecs: integer({
    description: 'commit at least this often while there are records, seconds',
    example: 60,
    min: 1,
    max: 3600,
    fallback: 300,
  }),
  bufferBytes: integer({
    description: 'commit sooner when the records held near this, bytes; one half gathers while the other is written',
    example: 32 * MIB,
    min: MIB,
    max: LARGEST,
    fallback: 128 * MIB,
  }),
  stallAfterSecs: integer({
    description: 'how long one write is tried before the batches are written again, seconds',
    example: 300,
    min: 60,
    max: LARGEST,
    fallback: 300,
  }),
  requestTimeoutSecs,
  deadLetterFile: optionalText({
    description: 'where records that do not fit are kept with the reason; ID.dead-letters.ndjson when absent',
    example: 'refused.ndjson',
  }),
} satisfies Settings

export const destinationSettings = {
  delta: {
    ...deliverySettings,
    location: optionalText({ description: 'the root of the table; created if missing', example: '/lake/orders' }),
    unityCatalog: json('an object with workspace, table, clientId and clientSecret', {
      description: 'an existing external table, in place of location',
      example: {
        workspace: 'https://dbc-1234.cloud.databricks.com',
        table: 'main.web.log',
        clientId: 'x',
        clientSecret: 'VARIABLE',
      },
    }),
    partitionBy: textList({ description: 'partition columns when it creates the table', example: ['country'] }),
    ...bucketSettings,
    roleArn: optionalText({ description: 'a role to assume', example: 'arn:aws:iam::123456789012:role/writer' }),
    externalId: optionalText({ description: 'passed on when the role is assumed', example: 'partner-7' }),
    authEndpoint: optionalText({ description: 'where the role is assumed', example: 'https://sts.example.com' }),
    compression: choice(['zstd', 'snappy', 'none'], {
      description: 'of data files; delta.parquet.compression.codec of the table wins',
      example: 'zstd',
    }),
    multipartPartBytes: integer({
      description: 'part size of large files, bytes',
      example: 16 * MIB,
      min: 5 * MIB,
      max: LARGEST,
      fallback: 16 * MIB,
    }),
  },
  stdout: deliverySettings,
} satisfies Record<string, Settings>

export const unityCatalogSettings = {
  workspace: text({ description: 'address of the workspace', example: 'https://dbc-1234.cloud.databricks.com' }),
  table: text({ description: 'catalog.schema.table', example: 'main.web.log' }),
  clientId: text({ description: 'client id of the service principal', example: '6f1c2a3b' }),
  clientSecret: text({ description: 'the variable that holds its secret', example: 'DATABRICKS_CLIENT_SECRET' }),
} satisfies Settings

export const serverSettings = {
  host: textOr('127.0.0.1', { description: 'the address to listen on', example: '127.0.0.1' }),
  port: integer({ description: 'the port; 0 takes a free one', example: 9090, min: 0, max: 65_535, fallback: 9090 }),
} satisfies Settings

export const workerSettings = {
  name: optionalText({
    description: 'who the positions kept in tables belong to; the host’s name when absent',
    example: 'worker-1',
  }),
  sources: json('a list of sources', { description: 'where records come from', example: [] }),
  routes: json('a list of routes', { description: 'which source goes where, by which steps', example: [] }),
  destinations: json('a list of destinations', { description: 'where records go', example: [] }),
  server: json('an object with host and port', {
    description: 'serves /metrics, /health, /status and the http sources; nothing is served when absent',
    example: { port: 9090 },
  }),
} satisfies Settings
