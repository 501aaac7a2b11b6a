/** The storage of a table that Unity Catalog names. */
import { deltaError } from '../../errors/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { parseS3Address, type RenewableCredentials, type S3StoreOptions, s3Store } from '../../storage/s3/index.ts'
import type { UnityCatalog, UnityTable } from './unity-catalog.ts'

/** How the bucket is spoken to. */
export type BucketOptions = Pick<S3StoreOptions, 'region' | 'endpoint' | 'forcePathStyle' | 'timeoutMs' | 'partBytes'>

export interface UnityStore {
  readonly table: UnityTable
  readonly store: ObjectStore
  readonly credentials: RenewableCredentials
}

/**
 * An external Delta table in S3, to be written: looked up, with credentials that are renewed ahead of their end.
 *
 * @param name `catalog.schema.table`
 * @throws DeltaError `WORKER_UNITY_…`, each named after what is wrong
 */
export async function openUnityTable(catalog: UnityCatalog, name: string, bucket: BucketOptions): Promise<UnityStore> {
  const table = await catalog.table(name)
  if (table.format !== 'DELTA') throw deltaError('WORKER_UNITY_NOT_DELTA', { format: table.format || 'of no format' })
  if (table.tableType !== 'EXTERNAL') {
    throw deltaError('WORKER_UNITY_NOT_EXTERNAL', { type: table.tableType || 'of no type' })
  }
  const credentials = catalog.credentials(table, 'READ_WRITE')
  await credentials()
  return { table, credentials, store: s3Store({ ...bucket, ...addressOf(table), credentials }) }
}

/**
 * A table of any kind, as commands take it: read with credentials for reading, and written with those for writing once
 * something is written.
 */
export async function openUnityLocation(
  catalog: UnityCatalog,
  name: string,
  bucket: BucketOptions,
): Promise<ObjectStore> {
  const table = await catalog.table(name)
  if (table.format !== 'DELTA') throw deltaError('WORKER_UNITY_NOT_DELTA', { format: table.format || 'of no format' })
  const open = (operation: 'READ' | 'READ_WRITE') =>
    s3Store({ ...bucket, ...addressOf(table), credentials: catalog.credentials(table, operation) })
  const [reading, writing] = [open('READ'), open('READ_WRITE')]
  const checked = <A extends readonly unknown[], R>(work: (...given: A) => Promise<R>) => {
    return async (...given: A) => {
      if (table.tableType !== 'EXTERNAL') throw deltaError('WORKER_UNITY_NOT_EXTERNAL', { type: table.tableType })
      return work(...given)
    }
  }
  return {
    ...reading,
    put: checked(writing.put),
    putIfAbsent: checked(writing.putIfAbsent),
    delete: checked(writing.delete),
  }
}

/** Credentials for S3 were given out, so an address of another kind is one that this package does not write through. */
function addressOf({ location }: UnityTable): { bucket: string; prefix: string } {
  if (/^s3[an]?:\/\/arn:/i.test(location)) throw deltaError('WORKER_UNITY_ACCESS_POINT')
  const address = parseS3Address(location)
  if (address === undefined) throw deltaError('WORKER_UNITY_NOT_S3')
  if (address.bucket.endsWith('.mrap')) throw deltaError('WORKER_UNITY_ACCESS_POINT')
  return { bucket: address.bucket, prefix: address.key }
}
