/** The settings of sources. */
import {
  choice,
  flag,
  integer,
  optionalChoice,
  optionalInteger,
  optionalText,
  type Settings,
  text,
  textOf,
  textOr,
  texts,
} from './setting.ts'
import { bucketSettings, idSetting, requestTimeoutSecs } from './shared-settings.ts'

const MIB = 1024 * 1024
const LARGEST = Number.MAX_SAFE_INTEGER
const NATS_NAME = 'a name without spaces, dots, slashes and wildcards'
const NATS_NAME_FORM = /^[^\s.*>/\\]+$/

const recordSettings = {
  id: idSetting,
  type: text({ description: 'what kind of source it is', example: 'file' }),
  schema: text({
    description: 'the record type, as columns and their types',
    example: 'id BIGINT, at TIMESTAMP, tags ARRAY<STRING>',
  }),
  format: choice(['ndjson', 'csv', 'access-log', 'logfmt', 'syslog'], {
    description: 'what the bytes are',
    example: 'ndjson',
  }),
  header: flag(true, { description: 'CSV: whether the first line holds the names of the columns', example: true }),
  delimiter: textOr(',', { description: 'CSV: the character between two fields', example: ';' }),
  nullText: optionalText({ description: 'CSV: a text that stands for null, besides the empty field', example: 'NA' }),
} satisfies Settings

const pollMs = integer({
  description: 'how often to look for more, milliseconds',
  example: 1000,
  min: 10,
  max: 3_600_000,
  fallback: 1000,
})

const postedSettings = {
  maxBodyBytes: integer({
    description: 'the largest batch taken, bytes',
    example: 16 * MIB,
    min: 1,
    max: 1024 * MIB,
    fallback: 16 * MIB,
  }),
  maxPendingBytes: integer({
    description: 'bytes of batches waiting for their commit, above which callers are asked to wait',
    example: 64 * MIB,
    min: 1,
    max: 4096 * MIB,
    fallback: 64 * MIB,
  }),
} satisfies Settings

export const sourceSettings = {
  file: {
    ...recordSettings,
    path: text({ description: 'the file', example: 'events.ndjson' }),
    tail: flag(false, { description: 'go on reading what is appended to the file', example: true }),
    rotate: flag(false, {
      description: 'with tail: go on when the file is renamed and begun anew, or copied and cut short',
      example: true,
    }),
    pollMs,
  },
  folder: {
    ...recordSettings,
    path: text({ description: 'the folder; its files are read in the order of their names', example: 'inbox' }),
    pattern: textOr('*', { description: 'which files: a name, in which * stands for any text', example: '*.ndjson' }),
    follow: flag(false, { description: 'go on reading files that are added', example: true }),
    pollMs,
  },
  s3: {
    ...recordSettings,
    location: text({
      description: 'the bucket and what the keys of its objects begin with; they are read in the order of their keys',
      example: 's3://inbox/logs/',
    }),
    pattern: textOr('*', {
      description: 'which objects: a key behind the location, in which * stands for any text',
      example: '*.ndjson.gz',
    }),
    follow: flag(false, { description: 'go on reading objects that are added', example: true }),
    pollMs: integer({
      description: 'how often to list again, milliseconds',
      example: 30_000,
      min: 10,
      max: 3_600_000,
      fallback: 30_000,
    }),
    ...bucketSettings,
    requestTimeoutSecs,
  },
  stdin: recordSettings,
  http: {
    ...recordSettings,
    path: optionalText({ description: 'where batches are posted; /ID when absent', example: '/events' }),
    ...postedSettings,
  },
  otlp: {
    ...recordSettings,
    format: choice(['otlp'], { description: 'what bodies are: export requests of logs', example: 'otlp' }),
    path: textOr('/v1/logs', { description: 'where logs are posted', example: '/v1/logs' }),
    ...postedSettings,
  },
  syslog: {
    ...recordSettings,
    format: choice(['syslog'], { description: 'what messages are: RFC 5424 or RFC 3164', example: 'syslog' }),
    protocol: choice(['udp', 'tcp'], { description: 'how messages come', example: 'tcp' }),
    host: textOr('127.0.0.1', { description: 'the address to listen on', example: '0.0.0.0' }),
    port: integer({ description: 'the port; 0 takes a free one', example: 5514, min: 0, max: 65_535, fallback: 5514 }),
    maxMessageBytes: integer({
      description: 'the longest message taken, bytes',
      example: 64 * 1024,
      min: 480,
      max: 16 * MIB,
      fallback: 64 * 1024,
    }),
    maxPendingBytes: integer({
      description: 'bytes of messages waiting for their commit, above which senders wait (TCP) or messages are dropped',
      example: 64 * MIB,
      min: 1,
      max: 4096 * MIB,
      fallback: 64 * MIB,
    }),
  },
  kafka: {
    ...recordSettings,
    format: choice(['ndjson', 'access-log', 'logfmt', 'syslog'], {
      description: 'what a message is',
      example: 'ndjson',
    }),
    brokers: texts('a list of addresses as HOST:PORT', /^(?:[^\s:[\]]+|\[[^\s\]]+\]):\d{1,5}$/, {
      description: 'some brokers of the cluster',
      example: ['broker-1:9092'],
    }),
    topics: texts('a list of names of topics', /^[\w.-]{1,249}$/, {
      description: 'the topics to read',
      example: ['clicks'],
    }),
    groupId: text({
      description: 'the consumer group: workers of one group share the partitions, and their positions in the tables',
      example: 'lake',
    }),
    clientId: textOr('bayou', { description: 'what brokers call this client in their logs', example: 'bayou' }),
    from: choice(['earliest', 'latest'], {
      description: 'where a partition begins that neither a table nor the group knows of',
      example: 'latest',
    }),
    maxWaitMs: integer({
      description: 'how long a broker waits for messages before it answers, milliseconds',
      example: 500,
      min: 10,
      max: 60_000,
      fallback: 500,
    }),
    sessionTimeoutMs: integer({
      description: 'a worker that is silent for so long loses its partitions to others, milliseconds',
      example: 45_000,
      min: 1000,
      max: 3_600_000,
      fallback: 45_000,
    }),
    rebalanceTimeoutMs: integer({
      description: 'how long the others of the group are waited for when partitions are shared out, milliseconds',
      example: 60_000,
      min: 1000,
      max: 3_600_000,
      fallback: 60_000,
    }),
    tls: flag(false, { description: 'connect by TLS', example: true }),
    tlsCaFile: optionalText({
      description: 'certificates of the authorities to trust, a PEM file; connects by TLS',
      example: '/etc/kafka/ca.pem',
    }),
    saslMechanism: optionalChoice(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'], {
      description: 'how to sign in; nobody signs in when absent',
      example: 'SCRAM-SHA-512',
    }),
    saslUsername: optionalText({
      description: 'the name of a variable, or of a stored secret, that holds the user name',
      example: 'KAFKA_USER',
    }),
    saslPassword: optionalText({
      description: 'the name of a variable, or of a stored secret, that holds the password',
      example: 'KAFKA_PASSWORD',
    }),
  },
  nats: {
    ...recordSettings,
    format: choice(['ndjson', 'access-log', 'logfmt', 'syslog'], {
      description: 'what a message is',
      example: 'ndjson',
    }),
    servers: texts('a list of addresses as HOST:PORT or nats://HOST:PORT', /^(?:(?:nats|tls):\/\/)?[^\s/]+$/, {
      description: 'some servers of the cluster',
      example: ['nats://nats-1:4222'],
    }),
    stream: textOf(NATS_NAME, NATS_NAME_FORM, { description: 'the stream to read', example: 'CLICKS' }),
    durable: textOf(NATS_NAME, NATS_NAME_FORM, {
      description:
        'the durable consumer, which the worker makes: of the workers that name it one reads and the others stand by; the positions in the tables are under its name',
      example: 'lake',
    }),
    subject: optionalText({
      description: 'only messages of this subject, which may hold wildcards',
      example: 'clicks.eu.>',
    }),
    from: choice(['earliest', 'latest'], {
      description:
        'where reading begins when neither a table nor the consumer knows; a work queue begins with its first message',
      example: 'latest',
    }),
    maxWaitMs: integer({
      description: 'how long one request waits for messages, milliseconds',
      example: 1000,
      min: 1000,
      max: 60_000,
      fallback: 1000,
    }),
    standbySecs: integer({
      description: 'a worker that stands by reads on when nobody has asked for messages for so long, seconds',
      example: 30,
      min: 5,
      max: 3600,
      fallback: 30,
    }),
    tls: flag(false, { description: 'connect by TLS', example: true }),
    tlsCaFile: optionalText({
      description: 'certificates of the authorities to trust, a PEM file; connects by TLS',
      example: '/etc/nats/ca.pem',
    }),
    user: optionalText({
      description: 'the name of a variable, or of a stored secret, that holds the user name',
      example: 'NATS_USER',
    }),
    password: optionalText({
      description: 'the name of a variable, or of a stored secret, that holds the password',
      example: 'NATS_PASSWORD',
    }),
    token: optionalText({
      description: 'the name of a variable, or of a stored secret, that holds a token, in place of a user',
      example: 'NATS_TOKEN',
    }),
    credentials: optionalText({
      description:
        'the name of a variable, or of a stored secret, that holds the text of a credentials file, in place of a user',
      example: 'NATS_CREDENTIALS',
    }),
  },
  generator: {
    ...recordSettings,
    count: optionalInteger({
      description: 'how many records; no end when absent',
      example: 1000,
      min: 0,
      max: LARGEST,
    }),
    batchRecords: integer({
      description: 'records in a batch',
      example: 1000,
      min: 1,
      max: 1_000_000,
      fallback: 1000,
    }),
    recordsPerSec: optionalInteger({
      description: 'how many a second; no limit when absent',
      example: 100,
      min: 1,
      max: LARGEST,
    }),
    badEvery: optionalInteger({
      description: 'every so many records one is malformed',
      example: 100,
      min: 1,
      max: LARGEST,
    }),
  },
} satisfies Record<string, Settings>
