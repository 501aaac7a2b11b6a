/**
 * A workspace with Unity Catalog in this process: sign-in by client credentials, tables by name, credentials for their
 * storage. It answers as the open Unity Catalog answers; the sign-in as OAuth documents it.
 */
import { randomUUID } from 'node:crypto'
import { type Answer, listen, type Sending, type ServerRequest } from './http-exchange.ts'

/** A table of the catalog. */
export interface UnityServerTable {
  readonly tableType?: string
  readonly format?: string
  readonly location: string
  /** what the principal may do with its files: `READ_WRITE` when absent */
  readonly grant?: 'none' | 'READ' | 'READ_WRITE'
  /** whether the principal may see it; true when absent */
  readonly isVisible?: boolean
}

/** What is handed out for storage; undefined for storage that is not in S3. */
export interface VendedCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  /** milliseconds since 1970; absent as with credentials that never end */
  readonly expiresAtMs?: number
  readonly accessPoint?: string
}

export interface UnityServerOptions {
  readonly clientId: string
  readonly clientSecret: string
  /** by `catalog.schema.table` */
  readonly tables: Readonly<Record<string, UnityServerTable>>
  readonly vend: (table: UnityServerTable) => VendedCredentials | undefined | Promise<VendedCredentials | undefined>
  /** seconds; 3,600 when absent */
  readonly tokenSecs?: number
}

/** What a request is answered instead. */
export interface UnityFault {
  readonly status: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface UnityServer {
  /** `http://127.0.0.1:PORT` */
  readonly workspace: string
  /** all there were, in order */
  readonly requests: ServerRequest[]
  /** asked for every request; undefined lets it pass, `'hang up'` ends the connection */
  fault: ((request: ServerRequest) => UnityFault | 'hang up' | undefined) | undefined
  /** Takes back every token handed out so far. */
  revokeTokens(): void
  close(): Promise<void>
}

const API = '/api/2.1/unity-catalog'

/** Listens on a free port of this host until it is closed. */
export async function startUnityServer(options: UnityServerOptions): Promise<UnityServer> {
  const server = new Server(options)
  const { url, close } = await listen((request) => server.serve(request))
  return Object.assign(server, { workspace: url, close })
}

class Server {
  readonly requests: ServerRequest[] = []
  fault: UnityServer['fault']
  private readonly options: UnityServerOptions
  private readonly tokens = new Map<string, number>()
  private readonly ids = new Map<string, string>()

  constructor(options: UnityServerOptions) {
    this.options = options
  }

  revokeTokens(): void {
    this.tokens.clear()
  }

  async serve(request: ServerRequest): Promise<Sending> {
    this.requests.push(request)
    const fault = this.fault?.(request)
    if (fault === 'hang up') return { kind: 'hang up' }
    return { kind: 'whole', answer: fault === undefined ? await this.answer(request) : faultAnswer(fault) }
  }

  private async answer(request: ServerRequest): Promise<Answer> {
    const { method, path } = request
    if (method === 'POST' && path === '/oidc/v1/token') return this.signIn(request)
    if (!path.startsWith(`${API}/`)) return { status: 404, body: 'Status: 404\nDescription: Not Found\n' }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) return failure(401, 'UNAUTHENTICATED', 'No authorization found.')
    if ((this.tokens.get(token) ?? 0) <= Date.now()) return failure(401, 'UNAUTHENTICATED', 'Invalid access token.')
    const [, name] = /^\/tables\/(.+)$/.exec(path.slice(API.length)) ?? []
    if (method === 'GET' && name !== undefined) return this.table(decodeURIComponent(name))
    if (method === 'POST' && path === `${API}/temporary-table-credentials`) return this.credentials(request)
    return { status: 404, body: 'Status: 404\nDescription: Not Found\n' }
  }

  /** Client id and secret in the form, or as HTTP Basic. Source: RFC 6749, sections 2.3.1, 4.4 and 5.2. */
  private signIn({ bytes, headers }: ServerRequest): Answer {
    const form = new URLSearchParams(Buffer.from(bytes).toString())
    const basic = Buffer.from(/^Basic (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '', 'base64').toString()
    const [basicId = '', basicSecret = ''] = basic.split(':').map(decodeURIComponent)
    const id = form.get('client_id') ?? basicId
    const secret = form.get('client_secret') ?? basicSecret
    if (form.get('grant_type') !== 'client_credentials') {
      return json(400, { error: 'unsupported_grant_type', error_description: 'the grant type is not known' })
    }
    if (id !== this.options.clientId || secret !== this.options.clientSecret) {
      return json(401, { error: 'invalid_client', error_description: 'Client authentication failed' })
    }
    const { tokenSecs = 3600 } = this.options
    const token = randomUUID()
    this.tokens.set(token, Date.now() + tokenSecs * 1000)
    return json(200, { access_token: token, token_type: 'Bearer', expires_in: tokenSecs, scope: 'all-apis' })
  }

  private table(name: string): Answer {
    const parts = name.split('.')
    if (parts.length !== 3) return failure(400, 'INVALID_ARGUMENT', `Invalid table name: ${name}`)
    const table = Object.hasOwn(this.options.tables, name) ? this.options.tables[name] : undefined
    if (table === undefined) return failure(404, ...this.missing(parts))
    if (table.isVisible === false) return failure(403, 'PERMISSION_DENIED', 'Access denied.')
    const [catalog_name, schema_name, own] = parts
    return json(200, {
      name: own,
      catalog_name,
      schema_name,
      table_type: table.tableType ?? 'EXTERNAL',
      data_source_format: table.format ?? 'DELTA',
      columns: [],
      storage_location: table.location,
      comment: null,
      properties: {},
      table_id: this.idOf(name),
    })
  }

  private missing([catalog = '', schema = '', table = '']: readonly string[]): [code: string, message: string] {
    const names = Object.keys(this.options.tables)
    if (!names.some((name) => name.startsWith(`${catalog}.`)))
      return ['CATALOG_NOT_FOUND', `Catalog not found: ${catalog}`]
    if (!names.some((name) => name.startsWith(`${catalog}.${schema}.`))) {
      return ['SCHEMA_NOT_FOUND', `Schema not found: ${catalog}.${schema}`]
    }
    return ['TABLE_NOT_FOUND', `Table not found: ${catalog}.${schema}.${table}`]
  }

  private idOf(name: string): string {
    const id = this.ids.get(name) ?? randomUUID()
    this.ids.set(name, id)
    return id
  }

  private async credentials({ bytes }: ServerRequest): Promise<Answer> {
    const asked = JSON.parse(Buffer.from(bytes).toString()) as { table_id?: string; operation?: string }
    const name = [...this.ids].find(([, id]) => id === asked.table_id)?.[0]
    if (name === undefined) {
      return failure(404, 'TABLE_NOT_FOUND', `Neither table nor staging table found with id: ${asked.table_id}`)
    }
    if (asked.operation !== 'READ' && asked.operation !== 'READ_WRITE') {
      return failure(400, 'INVALID_ARGUMENT', 'the operation is not known')
    }
    const table = this.options.tables[name]!
    const { grant = 'READ_WRITE' } = table
    if (grant === 'none') {
      const message = `User does not have EXTERNAL USE SCHEMA on Schema '${name.split('.').slice(0, 2).join('.')}'.`
      return failure(403, 'PERMISSION_DENIED', message)
    }
    if (asked.operation !== grant && grant === 'READ') return failure(403, 'PERMISSION_DENIED', 'Access denied.')
    return this.vended(table)
  }

  private async vended(table: UnityServerTable): Promise<Answer> {
    const given = await this.options.vend(table)
    return json(200, {
      aws_temp_credentials:
        given === undefined
          ? null
          : {
              access_key_id: given.accessKeyId,
              secret_access_key: given.secretAccessKey,
              session_token: given.sessionToken ?? null,
              ...(given.accessPoint !== undefined && { access_point: given.accessPoint }),
            },
      azure_user_delegation_sas: given === undefined ? { sas_token: 'sig=x' } : null,
      gcp_oauth_token: null,
      expiration_time: given === undefined ? Date.now() + 3_600_000 : (given.expiresAtMs ?? null),
      url: table.location,
    })
  }
}

function json(status: number, value: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

function failure(status: number, code: string, message: string): Answer {
  const details = [{ reason: code, '@type': 'type.googleapis.com/google.rpc.ErrorInfo' }]
  return json(status, { error_code: code, details, message })
}

function faultAnswer({ status, body, headers }: UnityFault): Answer {
  return { status, ...(body !== undefined && { body }), ...(headers !== undefined && { headers }) }
}
