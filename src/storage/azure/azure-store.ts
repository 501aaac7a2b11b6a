/** A container of Azure Blob Storage as an object store. */
import type { BlockBlobClient, ContainerClient } from '@azure/storage-blob'
import { deltaError } from '../../errors/index.ts'
import { compareText, Slots } from '../../support/index.ts'
import {
  isKey,
  type ListOptions,
  type ObjectMeta,
  type ObjectStore,
  type StoreCallOptions,
  validateKey,
} from '../index.ts'
import { azureError, codeOf, statusOf } from './azure-error.ts'
import { parseAzureAddress } from './azure-location.ts'

export interface AzureStoreOptions {
  readonly container: string
  /** the root's key, without encoding; the whole container when absent */
  readonly prefix?: string
  /** the blob service's address, `https://ACCOUNT.blob.core.windows.net` when absent */
  readonly endpoint?: string
  /** the account and its key; asked for when the first request is sent */
  readonly credentials: () => AzureCredentials
  /** how long a request may take, milliseconds; 60,000 when absent */
  readonly timeoutMs?: number
}

export interface AzureCredentials {
  readonly account: string
  /** base64, as the portal shows it */
  readonly key: string
}

const PAGE_SIZE = 1000
/** At once; no more wait for a connection while their time limit runs. */
const MAX_REQUESTS = 64

/**
 * The blobs below a key of a container.
 *
 * `@azure/storage-blob` is loaded with the first request; it needs Node 22. Each call sends its request once: `retrying`
 * repeats what may be repeated. `putIfAbsent` is one Put Blob with `If-None-Match: *`, which the service answers with
 * 409 where a blob is there. Errors name the service's code, never a credential.
 */
export function azureStore(options: AzureStoreOptions): ObjectStore {
  const prefix = (options.prefix ?? '').replace(/^\/+|\/+$/g, '')
  const keyPrefix = prefix === '' ? '' : `${prefix}/`
  const location = `az://${options.container}/${keyPrefix}`.replace(/\/$/, '')
  const { timeoutMs = 60_000 } = options
  const slots = new Slots(MAX_REQUESTS)
  let opened: Promise<ContainerClient> | undefined

  const run = async <T>(
    operation: string,
    key: string,
    call: StoreCallOptions | undefined,
    work: (container: ContainerClient, abortSignal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const release = await slots.take()
    const limit = AbortSignal.timeout(timeoutMs)
    const abortSignal = call?.signal === undefined ? limit : AbortSignal.any([call.signal, limit])
    try {
      opened ??= openContainer(options)
      const container = await opened
      abortSignal.throwIfAborted()
      return await work(container, abortSignal)
    } catch (error) {
      if (call?.signal?.aborted) throw deltaError('LAKE_CANCELLED', { what: `${operation} of ${key}` })
      const late = limit.aborted ? `nothing came for ${timeoutMs} ms` : undefined
      throw azureError(error, { operation, key, location }, late)
    } finally {
      release()
    }
  }
  const onBlob = <T>(
    operation: string,
    key: string,
    call: StoreCallOptions | undefined,
    work: (blob: BlockBlobClient, abortSignal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    validateKey(key, location)
    return run(operation, key, call, (container, signal) => work(container.getBlockBlobClient(keyPrefix + key), signal))
  }
  const head = async (key: string, call?: StoreCallOptions): Promise<ObjectMeta> =>
    onBlob('head', key, call, async (blob, abortSignal) => {
      const { contentLength = 0, lastModified } = await blob.getProperties({ abortSignal })
      return { key, size: contentLength, modifiedMs: lastModified?.getTime() ?? 0 }
    })

  return {
    location,
    capabilities: { write: true, list: true },
    get: async (key, call) => onBlob('get', key, call, (blob, signal) => download(blob, signal, 0)),
    getRange: async (key, { start, end }, call) => {
      if (end <= start) {
        await head(key, call) // no range can ask for no bytes, but a missing blob is still an error
        return new Uint8Array(0)
      }
      return onBlob('getRange', key, call, (blob, signal) =>
        download(blob, signal, start, end - start).catch((error: unknown) => {
          if (statusOf(error) === 416) return new Uint8Array(0)
          throw error
        }),
      )
    },
    head,
    list: (given) => listBlobs(given, keyPrefix, run),
    put: async (key, bytes, call) =>
      onBlob('put', key, call, async (blob, abortSignal) => {
        await blob.uploadData(bytes, { abortSignal })
      }),
    putIfAbsent: async (key, bytes, call) =>
      onBlob('putIfAbsent', key, call, (blob, signal) => create(blob, bytes, signal)),
    delete: async (key, call) =>
      onBlob('delete', key, call, async (blob, abortSignal) => {
        await blob.deleteIfExists({ abortSignal })
      }),
    elsewhere: (path) => elsewhere(options, path),
  }
}

async function create(
  blob: BlockBlobClient,
  bytes: Uint8Array,
  abortSignal: AbortSignal,
): Promise<'created' | 'exists'> {
  try {
    await blob.upload(bytes, bytes.length, { abortSignal, conditions: { ifNoneMatch: '*' } })
    return 'created'
  } catch (error) {
    if (statusOf(error) === 412 || codeOf(error) === 'BlobAlreadyExists') return 'exists'
    throw error
  }
}

function elsewhere(options: AzureStoreOptions, path: string): ReturnType<NonNullable<ObjectStore['elsewhere']>> {
  const address = parseAzureAddress(path)
  if (address === undefined || address.key === '') return undefined
  return { store: azureStore({ ...options, container: address.container, prefix: '' }), key: address.key }
}

async function openContainer({ container, endpoint, credentials }: AzureStoreOptions): Promise<ContainerClient> {
  const { account, key } = credentials()
  let sdk: typeof import('@azure/storage-blob')
  try {
    sdk = await import('@azure/storage-blob')
  } catch {
    throw deltaError('LAKE_PACKAGE_MISSING', { name: '@azure/storage-blob', what: 'Azure Blob stores' })
  }
  const address = endpoint ?? `https://${account}.blob.core.windows.net`
  const credential = new sdk.StorageSharedKeyCredential(account, key)
  // a conditional write tried again by itself would find its own blob and say that another one wrote it
  const service = new sdk.BlobServiceClient(address, credential, { retryOptions: { maxTries: 1 } })
  return service.getContainerClient(container)
}

async function download(blob: BlockBlobClient, abortSignal: AbortSignal, offset: number, count?: number) {
  const { readableStreamBody, contentLength } = await blob.download(offset, count, { abortSignal })
  const parts: Buffer[] = []
  for await (const part of readableStreamBody ?? []) parts.push(Buffer.from(part))
  const bytes = new Uint8Array(Buffer.concat(parts))
  if (contentLength !== undefined && contentLength !== bytes.length) {
    throw new Error(`the server sent ${bytes.length} bytes of ${contentLength}`)
  }
  return bytes
}

type Run = <T>(
  operation: string,
  key: string,
  call: StoreCallOptions | undefined,
  work: (container: ContainerClient, abortSignal: AbortSignal) => Promise<T>,
) => Promise<T>

/** The service gives names in an order of its own: they are taken together and put in the order of their bytes. */
async function* listBlobs(
  { prefix, startAfter, shallow, signal }: ListOptions & StoreCallOptions,
  keyPrefix: string,
  run: Run,
): AsyncGenerator<readonly ObjectMeta[]> {
  const found = await run('list', prefix, signal && { signal }, async (container, abortSignal) => {
    const options = { prefix: keyPrefix + prefix, abortSignal }
    const listed: ObjectMeta[] = []
    const take = (name: string, properties: { contentLength?: number; lastModified: Date }) => {
      const key = name.slice(keyPrefix.length)
      const isLater = startAfter === undefined || startAfter === '' || compareText(key, startAfter) > 0
      if (!isLater || !isKey(key)) return
      listed.push({ key, size: properties.contentLength ?? 0, modifiedMs: properties.lastModified.getTime() })
    }
    if (shallow === true) {
      for await (const item of container.listBlobsByHierarchy('/', options)) {
        if (item.kind === 'blob') take(item.name, item.properties)
      }
    } else {
      for await (const item of container.listBlobsFlat(options)) take(item.name, item.properties)
    }
    return listed.sort((a, b) => compareText(a.key, b.key))
  })
  for (let at = 0; at < found.length; at += PAGE_SIZE) yield found.slice(at, at + PAGE_SIZE)
}
