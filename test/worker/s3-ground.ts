/** A bucket in this process and a worker that writes into it, with the rights the how-to asks for and no others. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { retrying } from '../../src/storage/index.ts'
import { s3Store } from '../../src/storage/s3/index.ts'
import {
  type AccessPolicy,
  type S3Request,
  type S3Server,
  type S3ServerOptions,
  startS3Server,
} from '../../src/testing/index.ts'
import { parseWorkerConfig, type RunOptions, runWorker } from '../../src/worker/index.ts'
import { readTable } from './read-table.ts'

export const BUCKET = 'lake'
export const PREFIX = 'tables/access_log'

/** The policy of the how-to, for the table of its example. */
export const scopedPolicy: AccessPolicy = {
  Statement: [
    {
      Effect: 'Allow',
      Action: ['s3:ListBucket'],
      Resource: 'arn:aws:s3:::lake',
      Condition: { StringLike: { 's3:prefix': 'tables/access_log/_delta_log/*' } },
    },
    {
      Effect: 'Allow',
      Action: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload'],
      Resource: 'arn:aws:s3:::lake/tables/access_log/*',
    },
  ],
}

const SECRET = 'wJalrXUtnFEMIsecretKEY'
export const scoped = { accessKeyId: 'AKIASCOPED', secretAccessKey: SECRET, policy: scopedPolicy }
export const admin = { accessKeyId: 'AKIAADMIN', secretAccessKey: 'adminSECRET' }
export const env = { LAKE_KEY: scoped.accessKeyId, LAKE_SECRET: SECRET }
export const SECRETS = [SECRET, admin.secretAccessKey]

export interface S3Ground {
  readonly server: S3Server
  readonly folder: string
  /** of the file source */
  readonly input: string
  run(setup?: GroundSetup, options?: RunOptions): ReturnType<typeof runWorker>
  config(setup?: GroundSetup): ReturnType<typeof parseWorkerConfig>
  read(): ReturnType<typeof readTable>
  /** what was asked for of the table, its path first cut off: `PUT _delta_log/00….json` */
  calls(pick?: (request: S3Request) => boolean): readonly string[]
  close(): Promise<void>
}

export interface GroundSetup {
  readonly schema?: string
  readonly source?: object
  readonly destination?: object
}

export async function s3Ground(options: S3ServerOptions = {}): Promise<S3Ground> {
  const server = await startS3Server({ bucket: BUCKET, users: [admin, scoped], ...options })
  const folder = await mkdtemp(join(tmpdir(), 'bayou-s3-'))
  const engine = duckdbEngine({ memoryLimit: '512MiB', threads: 1 })
  const input = join(folder, 'in.ndjson')
  await writeFile(input, '')
  const config = ({ schema = 'id BIGINT, name STRING', source, destination }: GroundSetup = {}) =>
    parseWorkerConfig({
      name: 'w',
      sources: [{ id: 's', type: 'file', path: input, schema, ...source }],
      routes: [{ source: 's', destination: 'lake' }],
      destinations: [
        {
          id: 'lake',
          type: 'delta',
          location: `s3://${BUCKET}/${PREFIX}`,
          endpoint: server.endpoint,
          accessKeyId: 'LAKE_KEY',
          secretAccessKey: 'LAKE_SECRET',
          deadLetterFile: join(folder, 'dead.ndjson'),
          ...destination,
        },
      ],
    })
  const store = () =>
    retrying(
      s3Store({ bucket: BUCKET, prefix: PREFIX, endpoint: server.endpoint, region: 'us-east-1', credentials: admin }),
    )
  return {
    server,
    folder,
    input,
    config,
    run: (setup, runOptions = {}) => runWorker(config(setup), { once: true, env, engine, ...runOptions }),
    read: () => readTable(store()),
    calls: (pick = () => true) =>
      server.requests.filter(pick).map(({ method, key, query }) => {
        const prefix = query.get('prefix')
        return `${method} ${(prefix ?? key).replace(`${PREFIX}/`, '')}${prefix === null ? '' : ' (list)'}`
      }),
    close: async () => {
      await engine.close()
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
