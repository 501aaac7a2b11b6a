/** Errors of the worker: configuration, sources, routes, destinations. */
import type { ErrorSpec } from './spec.ts'

const SETTINGS = '42616'
const TABLE = '0A000'

export const workerErrors = {
  WORKER_CONFIG_REFUSED: {
    message: 'the configuration has {count} faults: {faults}',
    sqlState: SETTINGS,
    kind: 'usage',
  },
  WORKER_CONFIG_MALFORMED: { message: 'the configuration is not {what}', sqlState: SETTINGS, kind: 'usage' },
  WORKER_CONFIG_UNKNOWN_KEY: {
    message: 'the key {name} is not known; the keys here are {allowed}',
    sqlState: SETTINGS,
    kind: 'usage',
  },
  WORKER_CONFIG_MISSING: {
    message: 'names no {name}',
    remedy: '{name} is {allowed}',
    sqlState: SETTINGS,
    kind: 'usage',
  },
  WORKER_CONFIG_VALUE: { message: '{name} is {value}; it is {allowed}', sqlState: SETTINGS, kind: 'usage' },
  WORKER_CONFIG_DUPLICATE_ID: { message: 'the id {id} is used twice', sqlState: SETTINGS, kind: 'usage' },
  WORKER_CONFIG_UNKNOWN_TYPE: {
    message: 'the {kind} type {type} is not known',
    remedy: 'the types are {allowed}',
    sqlState: SETTINGS,
    kind: 'usage',
  },
  WORKER_CONFIG_UNKNOWN_REFERENCE: {
    message: 'names the {kind} {id}, which the configuration does not have',
    remedy: 'it has {allowed}',
    sqlState: SETTINGS,
    kind: 'usage',
  },
  WORKER_CONFIG_NEEDS: { message: 'names {name} without {other}', sqlState: SETTINGS, kind: 'usage' },
  WORKER_CONFIG_BESIDE: { message: 'names {name} beside {other}', sqlState: SETTINGS, kind: 'usage' },
  WORKER_CONFIG_SCHEMA: { message: 'the schema cannot be read: {reason}', sqlState: SETTINGS, kind: 'usage' },
  WORKER_CONFIG_STEP: { message: 'step {step} cannot be taken: {reason}', sqlState: SETTINGS, kind: 'usage' },
  WORKER_CONFIG_NO_TABLE: {
    message: 'names both a location and a unityCatalog table, or names no table',
    sqlState: SETTINGS,
    kind: 'usage',
  },
  WORKER_CONFIG_LOCATION: {
    message: 'the location {location} is not an s3:// address, a folder or an az:// address',
    sqlState: SETTINGS,
    kind: 'usage',
  },
  WORKER_CONFIG_ENDPOINT: {
    message: 'the endpoint {endpoint} is not an http(s) address',
    sqlState: SETTINGS,
    kind: 'usage',
  },
  WORKER_CONFIG_NO_REGION: {
    message: 'names no region beside a unityCatalog table',
    sqlState: SETTINGS,
    kind: 'usage',
  },
  WORKER_CONFIG_BESIDE_UNITY: {
    message: 'names {keys} beside a unityCatalog table',
    sqlState: SETTINGS,
    kind: 'usage',
  },
  WORKER_CONFIG_WORKSPACE: {
    message: 'the workspace {workspace} is not an https:// address of a workspace',
    sqlState: SETTINGS,
    kind: 'usage',
  },
  WORKER_CONFIG_UNITY_TABLE: {
    message: 'the table {table} is not catalog.schema.table',
    sqlState: SETTINGS,
    kind: 'usage',
  },
  WORKER_CONFIG_PARTITION_UNKNOWN: {
    message: 'partitionBy names {column}, which the record does not have',
    sqlState: SETTINGS,
    kind: 'usage',
  },
  WORKER_CONFIG_PARTITION_TWICE: { message: 'partitionBy names {column} twice', sqlState: SETTINGS, kind: 'usage' },
  WORKER_CONFIG_RECORDS_DIFFER: {
    message: 'the routes writing here write different records, and a table has one schema',
    sqlState: SETTINGS,
    kind: 'usage',
  },
  WORKER_CREDENTIAL_MISSING: {
    message: 'the delta destination takes its {what} from {name}, which this worker does not have',
    remedy: 'set the variable on the worker host, or store the secret: bayou secrets set {name}',
    sqlState: '28000',
    kind: 'usage',
  },
  WORKER_TABLE_PROTOCOL: {
    message: 'the table needs writer version {writer}, reader version {reader}, or the writer feature {features}',
    remedy: 'write to a table with a protocol this destination knows',
    sqlState: TABLE,
    kind: 'unsupported',
  },
  WORKER_TABLE_FORMAT: { message: "the table's files are {format}, not Parquet", sqlState: TABLE, kind: 'unsupported' },
  WORKER_TABLE_MAPPING: {
    message: 'the table maps columns by id, which this writer does not',
    sqlState: TABLE,
    kind: 'unsupported',
  },
  WORKER_TABLE_CONSTRAINT: {
    message: 'the table has the check constraint {constraint}',
    remedy: 'drop the constraint, or write to another table',
    sqlState: TABLE,
    kind: 'unsupported',
  },
  WORKER_TABLE_COLUMN_RULE: {
    message: "the table's column {column} carries {rule}, which this writer cannot honour",
    sqlState: TABLE,
    kind: 'unsupported',
  },
  WORKER_TABLE_NOT_NULLABLE: {
    message: "the table's column {column} is not nullable, and this destination writes nullable columns only",
    sqlState: TABLE,
    kind: 'unsupported',
  },
  WORKER_TABLE_NO_COLUMN: {
    message: 'the table has no column a data file can hold',
    sqlState: TABLE,
    kind: 'unsupported',
  },
  WORKER_TABLE_STATISTICS: {
    message: "the table's checkpoints keep no statistics as JSON",
    remedy: 'set delta.checkpoint.writeStatsAsJson to true and delta.checkpoint.writeStatsAsStruct to false',
    sqlState: TABLE,
    kind: 'unsupported',
  },
  WORKER_TABLE_PARTITION_TYPE: {
    message:
      'the table is partitioned by {column}, a {type} column, which this destination writes no partition value of',
    sqlState: TABLE,
    kind: 'unsupported',
  },
  WORKER_TABLE_FIELD_TYPE: {
    message: '{field} is {tableType} in the table, and the record writes {recordField} there as {recordType}',
    remedy: 'rename the field in the route or the column in the table',
    sqlState: '42K09',
    kind: 'unsupported',
  },
  WORKER_TABLE_CASE: {
    message: 'the table has the columns {first} and {second}, which differ only in case',
    sqlState: TABLE,
    kind: 'unsupported',
  },
  WORKER_TABLE_CHANGED: {
    message:
      "another writer dropped a column the record writes, changed the table's partitioning, or another table replaced the one at its location",
    remedy: 'restore it, or start the worker again to take the table as it is',
    sqlState: '2D521',
    retryable: true,
    kind: 'conflict',
  },
  WORKER_COMMIT_LOST: {
    message: 'commit lost to another writer 8 times over',
    remedy: 'lower how often the others commit, or raise fileIntervalSecs',
    sqlState: '2D521',
    retryable: true,
    kind: 'conflict',
  },
  WORKER_ACCESS_DENIED: {
    message: 'Access denied writing to storage',
    remedy: 'check that whatever signs for storage has every permission under the location of the table: {denied}',
    sqlState: '42501',
    retryable: true,
    kind: 'storage',
  },
  WORKER_POSITION_MOVED: {
    message: 'another worker moved {appId} from {expected} to {found} while this one wrote',
    remedy: 'run one worker with this name, and start it again to go on from there',
    sqlState: '2D521',
    kind: 'conflict',
  },
  WORKER_SOURCE_FAILED: { message: 'the source {source} cannot be read: {cause}', sqlState: '58030' },
  WORKER_SOURCE_SHRANK: {
    message: 'the file {path} has {size} bytes, and the table holds it up to byte {position}',
    remedy: 'put the file back, or give the new one a source with another id',
    sqlState: '58030',
  },
  WORKER_SOURCE_CUT: {
    message: '{path} ends inside of its {compression} stream',
    remedy: 'put the whole file in its place; what it held before the cut is not read again',
    sqlState: '58030',
  },
  WORKER_SOURCE_COMPRESSED: {
    message: '{path}, which is compressed with {compression}, cannot be read: {reason}',
    sqlState: '58030',
  },
  WORKER_TOPIC_SHRANK: {
    message:
      'partition {partition} of the topic {topic} ends at {end}, and the table holds it up to {position}: it is not the topic it was',
    remedy: 'read the new topic by a source with another id',
    sqlState: '58030',
  },
  WORKER_STREAM_SHRANK: {
    message:
      'the stream {stream} ends with message {end}, and the table holds it up to {position}: it is not the stream it was',
    remedy: 'read the new stream by a durable consumer, or a source, with another name',
    sqlState: '58030',
  },
  WORKER_STREAM_RETENTION: {
    message: 'the stream {stream} keeps messages by {retention}, and gives none of them a second time',
    remedy: 'read a stream whose retention is limits or workqueue',
    sqlState: '0A000',
    kind: 'unsupported',
  },
  WORKER_CONSUMER_FOREIGN: {
    message: 'the consumer {durable} of the stream {stream} was not made by a worker',
    remedy: 'give durable another name, or delete that consumer',
    sqlState: '42710',
  },
  WORKER_CONSUMER_TAKEN: {
    message: 'another worker has taken the consumer {durable} of the stream {stream}',
    remedy: 'let one worker read it at a time, or run without --once: then the others stand by',
    sqlState: '55006',
  },
  WORKER_SOURCE_CREDENTIAL_MISSING: {
    message: 'the source {source} takes its {what} from {name}, which this worker does not have',
    remedy: 'set the variable, or store it with bayou secrets set',
    sqlState: '28000',
  },
  WORKER_PORT_UNAVAILABLE: {
    message: 'the port {port} of {host} cannot be listened on: {cause}',
    remedy: 'free it, or give server.port another one',
    sqlState: '08001',
  },
  WORKER_DEAD_LETTERS_FAILED: {
    message: 'the dead-letter file {path} cannot be written: {cause}',
    remedy: 'make it writable; nothing is acknowledged until it is',
    sqlState: '58030',
    retryable: true,
  },
  WORKER_STORE_UNCONDITIONAL: {
    message:
      "the store at {location} accepted a second write with If-None-Match: *; it cannot hold a Delta table's log",
    remedy: 'use a store that honours conditional writes; bayou check-store tells of each promise',
    sqlState: TABLE,
    kind: 'unsupported',
  },
  WORKER_UNITY_SIGN_IN: {
    message: '{workspace} /oidc/v1/token refused the sign-in ({status}): {reason}',
    remedy: 'check clientId, and the secret that clientSecret names',
    sqlState: '28000',
    kind: 'storage',
  },
  WORKER_UNITY_TABLE: {
    message: 'Unity Catalog refused the table {table} ({status}): {reason}',
    remedy: 'on 403 grant the service principal access to the table, on 404 check its name',
    sqlState: '42501',
    kind: 'storage',
  },
  WORKER_UNITY_NOT_DELTA: {
    message: 'the table is {format}, not Delta',
    remedy: 'name a Delta table',
    sqlState: TABLE,
    kind: 'unsupported',
  },
  WORKER_UNITY_NOT_EXTERNAL: {
    message: 'the table is {type}; only an external table is written',
    remedy: 'name an external Delta table',
    sqlState: TABLE,
    kind: 'unsupported',
  },
  WORKER_UNITY_CREDENTIALS: {
    message: "Unity Catalog refused credentials for the table's storage ({status}): {reason}",
    remedy: 'grant the service principal EXTERNAL USE SCHEMA, and MODIFY on the table',
    sqlState: '42501',
    kind: 'storage',
  },
  WORKER_UNITY_NOT_S3: {
    message: "Unity Catalog vended no AWS credentials, or no expiry, for the table's storage; the table must be in S3",
    sqlState: TABLE,
    kind: 'storage',
  },
  WORKER_UNITY_ACCESS_POINT: {
    message: 'the table is reached through a multi-region access point, which this destination does not write',
    sqlState: TABLE,
    kind: 'unsupported',
  },
  WORKER_UNITY_UNAVAILABLE: {
    message: '{workspace} gave no answer to {path}: {cause}',
    remedy: 'try again once the workspace answers',
    sqlState: '08006',
    retryable: true,
    kind: 'storage',
  },
  WORKER_TABLE_MISSING: {
    message: 'there is no Delta table at {location}, where Unity Catalog says it lies',
    remedy: 'write the table first: a destination creates none that a catalog names',
    sqlState: '42P01',
    kind: 'usage',
  },
  WORKER_SECRETS_FILE: { message: 'the file of secrets {file} cannot be used: {cause}', sqlState: '58030' },
  WORKER_SECRET_NAME: {
    message: 'the name {name} is not one of a credential',
    remedy: 'use letters, digits, _, . and -, and begin with a letter or _',
    sqlState: '42602',
    kind: 'usage',
  },
  WORKER_SECRET_EMPTY: {
    message: 'the secret {name} has no value',
    remedy: 'type it at the prompt, or give it on standard input',
    sqlState: '42602',
    kind: 'usage',
  },
  WORKER_SECRET_UNKNOWN: { message: 'the secret {name} is not in {file}', sqlState: '42704', kind: 'usage' },
} as const satisfies Record<string, ErrorSpec>
