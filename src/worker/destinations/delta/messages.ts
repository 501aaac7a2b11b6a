/**
 * What a Delta destination may say, in the order somebody meets it, with what to do: the page of messages is made of it.
 *
 * The sentences themselves are those of the catalogue of errors; here stands what their remedy has no room for.
 */
import type { ErrorCode } from '../../../errors/index.ts'

export interface DestinationMessage {
  readonly code: ErrorCode
  /** blanks that always hold the same word here */
  readonly filled?: Readonly<Record<string, string>>
  readonly advice: string
}

export const configurationMessages: readonly DestinationMessage[] = [
  {
    code: 'WORKER_CONFIG_RECORDS_DIFFER',
    advice:
      'Two routes feed the table with records of different types. Make their steps end in one type, or give each a table.',
  },
  { code: 'WORKER_CONFIG_NO_TABLE', advice: 'Give `location`, or `unityCatalog`, and not both.' },
  { code: 'WORKER_CONFIG_NO_REGION', advice: 'Give the region of the table’s bucket as `region`.' },
  {
    code: 'WORKER_CONFIG_BESIDE_UNITY',
    advice: 'Unity Catalog hands out the storage credentials. Take the settings the message names out.',
  },
  {
    code: 'WORKER_CONFIG_LOCATION',
    advice: 'Give an `s3://bucket/prefix` address, a folder or an `az://container/prefix` address.',
  },
  { code: 'WORKER_CONFIG_ENDPOINT', advice: 'Give the address of the store with `https://` or `http://` in front.' },
  {
    code: 'WORKER_CONFIG_WORKSPACE',
    advice: 'Give `https://` and the workspace’s host, with nothing behind it. `http://` is taken for this host alone.',
  },
  { code: 'WORKER_CONFIG_UNITY_TABLE', advice: 'Name the table by its three parts.' },
  {
    code: 'WORKER_CREDENTIAL_MISSING',
    filled: { what: 'client secret' },
    advice: 'The host has no such variable and no such stored secret. Set one: `bayou secrets set NAME`.',
  },
]

export const unityMessages: readonly DestinationMessage[] = [
  { code: 'WORKER_UNITY_SIGN_IN', advice: 'Check `clientId`, and the secret that `clientSecret` names.' },
  {
    code: 'WORKER_UNITY_TABLE',
    advice:
      'The catalog’s own status, code and words. 403: the service principal may not see the table. 404: check the name.',
  },
  { code: 'WORKER_UNITY_NOT_DELTA', advice: 'Name a Delta table.' },
  {
    code: 'WORKER_UNITY_NOT_EXTERNAL',
    advice: 'Tables that Unity Catalog manages are not written. Name an external one.',
  },
  {
    code: 'WORKER_UNITY_CREDENTIALS',
    advice: 'Grant the service principal EXTERNAL USE SCHEMA on the schema, and SELECT and MODIFY on the table.',
  },
  { code: 'WORKER_UNITY_NOT_S3', advice: 'Only tables in S3 are written, with credentials that end.' },
  { code: 'WORKER_UNITY_ACCESS_POINT', advice: 'Register the table under its bucket’s own address.' },
  {
    code: 'WORKER_UNITY_UNAVAILABLE',
    advice: 'It was asked five times. Start the worker again once the workspace answers.',
  },
  {
    code: 'WORKER_TABLE_MISSING',
    advice: 'The catalog names a folder without a log. Write the table’s first version first.',
  },
]

export const tableMessages: readonly DestinationMessage[] = [
  {
    code: 'WORKER_STORE_UNCONDITIONAL',
    advice:
      'Two writers would overwrite each other’s commits there. `bayou check-store URL` tells which promises a store keeps.',
  },
  {
    code: 'WORKER_TABLE_FIELD_TYPE',
    advice: 'Rename the field with a step of the route, cast it, or change the column of the table.',
  },
  {
    code: 'WORKER_TABLE_NOT_NULLABLE',
    advice: 'Drop NOT NULL from the column, or write these records to a table of their own.',
  },
  {
    code: 'WORKER_TABLE_PROTOCOL',
    advice: 'The table uses what this destination does not write. `bayou detail` lists the features of a table.',
  },
  { code: 'WORKER_TABLE_FORMAT', advice: 'Only tables of Parquet files are written.' },
  { code: 'WORKER_TABLE_MAPPING', advice: 'Write to a table that maps its columns by name, or not at all.' },
  { code: 'WORKER_TABLE_CONSTRAINT', advice: 'Constraints are not checked here. Drop it, or write to another table.' },
  {
    code: 'WORKER_TABLE_COLUMN_RULE',
    advice:
      'The column is generated, an identity, or has a default, an invariant or a length. Write to a table without one.',
  },
  { code: 'WORKER_TABLE_NO_COLUMN', advice: 'Add a column of a type other than void.' },
  { code: 'WORKER_TABLE_STATISTICS', advice: 'Set both properties back with `bayou set`.' },
  { code: 'WORKER_TABLE_PARTITION_TYPE', advice: 'Partition by a column of another type.' },
  { code: 'WORKER_TABLE_CASE', advice: 'Rename one of the two columns.' },
]

export const runningMessages: readonly DestinationMessage[] = [
  {
    code: 'WORKER_TABLE_CHANGED',
    advice:
      'Commits wait. Bring back the column, the partitioning or the table; or start the worker again to take it as it is.',
  },
  {
    code: 'WORKER_COMMIT_LOST',
    advice:
      'Other writers took eight versions in a row. The round is tried again; let them commit less often, or raise `fileIntervalSecs`.',
  },
  {
    code: 'WORKER_ACCESS_DENIED',
    advice:
      'Compare the rights of whatever signs with the policy of the how-to. What was denied stands behind the sentence.',
  },
  { code: 'WORKER_POSITION_MOVED', advice: 'Two workers run under one `name`. Stop one of them.' },
]
