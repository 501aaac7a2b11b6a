/**
 * Databricks Unity Catalog as a client of it sees it: a sign-in, tables by name, and credentials for their storage.
 *
 * Source: Databricks, "Authorize service principal access with OAuth", "Unity Catalog credential vending"; the open
 * Unity Catalog's REST API 2.1.
 */
import { deltaError } from '../../errors/index.ts'
import type { RenewableCredentials, S3Credentials } from '../../storage/s3/index.ts'
import {
  type Expiring,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  type Renewable,
  type RenewingOptions,
  renewing,
  SECOND_MS,
} from '../../support/index.ts'
import { ask, type UnityAnswer, type UnityConnection, type UnityRequest } from './unity-http.ts'

export interface UnityCatalogOptions extends RenewingOptions {
  /** the address of the workspace: `https://host` */
  readonly workspace: string
  readonly clientId: string
  /** asked for at each sign-in */
  readonly clientSecret: () => string
  /** milliseconds one request may take; 60,000 when absent */
  readonly timeoutMs?: number
  /** for tests */
  readonly fetch?: typeof fetch
  /** for tests */
  readonly sleep?: (ms: number) => Promise<void>
}

export interface UnityTable {
  /** `catalog.schema.table` */
  readonly name: string
  readonly tableId: string
  /** `EXTERNAL`, `MANAGED`, … */
  readonly tableType: string
  /** `DELTA`, … */
  readonly format: string
  /** `s3://bucket/key` */
  readonly location: string
}

export type UnityOperation = 'READ' | 'READ_WRITE'

const API = '/api/2.1/unity-catalog'
const TOKEN_PATH = '/oidc/v1/token'

interface Token extends Expiring {
  readonly text: string
}

/**
 * A workspace, signed in to as a service principal when it is first asked, and again ahead of the end of each token.
 *
 * Faults that can pass (429, 5xx, no answer) are tried again. No message holds the secret or a token.
 */
export class UnityCatalog {
  private readonly options: UnityCatalogOptions
  private readonly connection: UnityConnection
  private readonly token: Renewable<Token>
  private readonly spoken = new Set<string>()

  constructor(options: UnityCatalogOptions) {
    this.options = options
    const { timeoutMs = 60_000, sleep } = options
    this.connection = {
      workspace: options.workspace.replace(/\/+$/, ''),
      timeoutMs,
      fetch: options.fetch ?? fetch,
      secrets: () => [...this.spoken],
      ...(sleep && { sleep }),
    }
    this.token = renewing(() => this.signIn(), options)
  }

  /**
   * @param name `catalog.schema.table`
   * @throws DeltaError `WORKER_UNITY_SIGN_IN`, `WORKER_UNITY_TABLE`, `WORKER_UNITY_UNAVAILABLE`
   */
  async table(name: string): Promise<UnityTable> {
    const path = `${API}/tables/${name.split('.').map(encodeURIComponent).join('.')}`
    const { status, json, reason } = await this.call({ method: 'GET', path })
    if (status !== 200) throw deltaError('WORKER_UNITY_TABLE', { table: name, status, reason })
    const tableId = textOf(json.table_id)
    if (tableId === '') throw deltaError('WORKER_UNITY_TABLE', { table: name, status, reason: 'it has no table_id' })
    return {
      name,
      tableId,
      tableType: textOf(json.table_type),
      format: textOf(json.data_source_format),
      location: textOf(json.storage_location),
    }
  }

  /**
   * What signs for the storage of a table, renewed ahead of its end.
   *
   * Rejects with `WORKER_UNITY_CREDENTIALS`, `WORKER_UNITY_NOT_S3`, `WORKER_UNITY_ACCESS_POINT`, and as `table`.
   */
  credentials(table: UnityTable, operation: UnityOperation): RenewableCredentials {
    return renewing(() => this.vend(table, operation), this.options)
  }

  private async vend({ tableId }: UnityTable, operation: UnityOperation): Promise<S3Credentials> {
    const path = `${API}/temporary-table-credentials`
    const body = JSON.stringify({ table_id: tableId, operation })
    const { status, json, reason } = await this.call({ method: 'POST', path, body })
    if (status !== 200) throw deltaError('WORKER_UNITY_CREDENTIALS', { status, reason })
    return credentialsOf(json)
  }

  /** A token may have been taken back before its end: a refused one is replaced once. */
  private async call(request: Omit<UnityRequest, 'headers'>): Promise<UnityAnswer> {
    const first = await this.callOnce(request)
    if (first.answer.status !== 401) return first.answer
    this.token.refused(first.sentAtMs)
    return (await this.callOnce(request)).answer
  }

  private async callOnce(request: Omit<UnityRequest, 'headers'>) {
    const { text } = await this.token()
    const sentAtMs = (this.options.clock ?? Date).now()
    const headers = {
      authorization: `Bearer ${text}`,
      accept: 'application/json',
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
    }
    return { sentAtMs, answer: await ask(this.connection, { ...request, headers }) }
  }

  private async signIn(): Promise<Token> {
    const { clientId, clientSecret, clock = Date } = this.options
    const secret = clientSecret()
    this.spoken.add(secret).add(encodeURIComponent(secret))
    const form = { grant_type: 'client_credentials', scope: 'all-apis', client_id: clientId, client_secret: secret }
    const { status, json, reason } = await ask(this.connection, {
      method: 'POST',
      path: TOKEN_PATH,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
    })
    const text = textOf(json.access_token)
    if (status !== 200 || text === '') {
      const { workspace } = this.connection
      throw deltaError('WORKER_UNITY_SIGN_IN', {
        workspace,
        status,
        reason: status === 200 ? 'the answer holds no access_token' : reason,
      })
    }
    this.spoken.add(text)
    const seconds = numberOf(json.expires_in)
    return { text, ...(seconds !== undefined && { expiration: new Date(clock.now() + seconds * SECOND_MS) }) }
  }
}

function credentialsOf(json: JsonObject): S3Credentials {
  const aws = isJsonObject(json.aws_temp_credentials) ? json.aws_temp_credentials : {}
  const [accessKeyId, secretAccessKey, sessionToken] = [
    textOf(aws.access_key_id),
    textOf(aws.secret_access_key),
    textOf(aws.session_token),
  ]
  const expiresAt = numberOf(json.expiration_time)
  if (accessKeyId === '' || secretAccessKey === '' || expiresAt === undefined) throw deltaError('WORKER_UNITY_NOT_S3')
  if (textOf(aws.access_point) !== '') throw deltaError('WORKER_UNITY_ACCESS_POINT')
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== '' && { sessionToken }),
    expiration: new Date(expiresAt),
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Servers write such numbers as numbers or as texts. */
function numberOf(value: JsonValue | undefined): number | undefined {
  const plain = value instanceof JsonNumber ? value.text : value
  if (!['number', 'bigint', 'string'].includes(typeof plain) || plain === '') return undefined
  const number = Number(plain)
  return Number.isFinite(number) ? number : undefined
}
