/** A workspace with an external table in a bucket, both in this process, and a worker that writes the table. */
import { randomUUID } from 'node:crypto'
import { jsLogEngine } from '../../src/engine/js/index.ts'
import { createTable } from '../../src/kernel/index.ts'
import { field, longType, stringType, structType } from '../../src/schema/index.ts'
import { s3Store } from '../../src/storage/s3/index.ts'
import {
  startUnityServer,
  type UnityServer,
  type UnityServerOptions,
  type UnityServerTable,
  type VendedCredentials,
} from '../../src/testing/index.ts'
import { admin, BUCKET, PREFIX, type S3Ground, s3Ground, scopedPolicy } from './s3-ground.ts'

export const CLIENT_SECRET = 'dose-databricks+secret/1'
export const NAME = 'main.logs.web'

export interface UnityGround extends S3Ground {
  readonly unity: UnityServer
  /** settings of the destination in place of location and keys */
  readonly destination: Readonly<Record<string, unknown>>
  /** keys handed out so far */
  readonly vended: readonly VendedCredentials[]
}

export interface UnityGroundOptions extends Partial<UnityServerOptions> {
  readonly table?: Partial<UnityServerTable>
  /** how long what is handed out holds, milliseconds */
  readonly lifetimeMs?: number
  readonly isEmpty?: boolean
}

export const unityEnv = { DATABRICKS_CLIENT_SECRET: CLIENT_SECRET }

export async function unityGround(options: UnityGroundOptions = {}): Promise<UnityGround> {
  const { table, lifetimeMs = 3_600_000, isEmpty = false, ...server } = options
  const ground = await s3Ground({ users: [admin] })
  const vended: VendedCredentials[] = []
  const vend = () => {
    const given = {
      accessKeyId: `ASIA${randomUUID().slice(0, 8)}`,
      secretAccessKey: `vended-secret-${randomUUID()}`,
      sessionToken: `vended-token-${randomUUID()}`,
      expiresAtMs: Date.now() + lifetimeMs,
    }
    vended.push(given)
    ground.server.users.push({ ...given, policy: scopedPolicy })
    return given
  }
  const unity = await startUnityServer({
    clientId: '6f1c2a3b',
    clientSecret: CLIENT_SECRET,
    tables: { [NAME]: { location: `s3://${BUCKET}/${PREFIX}`, ...table } },
    vend,
    ...server,
  })
  if (!isEmpty) {
    const { endpoint } = ground.server
    const store = s3Store({ bucket: BUCKET, prefix: PREFIX, endpoint, region: 'us-east-1', credentials: admin })
    await createTable(
      store,
      jsLogEngine,
      { schema: structType([field('id', longType), field('name', stringType)]) },
      { operation: 'CREATE TABLE' },
    )
  }
  const unityCatalog = {
    workspace: unity.workspace,
    table: NAME,
    clientId: '6f1c2a3b',
    clientSecret: 'DATABRICKS_CLIENT_SECRET',
  }
  return {
    ...ground,
    unity,
    vended,
    destination: {
      location: undefined,
      accessKeyId: undefined,
      secretAccessKey: undefined,
      region: 'us-west-2',
      unityCatalog,
    },
    close: async () => {
      await unity.close()
      await ground.close()
    },
  }
}
