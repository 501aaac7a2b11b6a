/**
 * Whether a request is signed by whom it says, with Signature Version 4, and with every header that has to be signed.
 *
 * Source: AWS, "Authenticating Requests: Using the Authorization Header".
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { ServerRequest } from './http-exchange.ts'

/** Who may sign. */
export interface ServerUser {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** must come with every request where it is given */
  readonly sessionToken?: string
  /** from when on it is refused as expired; milliseconds since 1970 */
  readonly expiresAtMs?: number
  /** what it may do; everything when absent */
  readonly policy?: AccessPolicy
}

/** The part of a policy document that the servers here understand: what is not allowed is denied. */
export interface AccessPolicy {
  readonly Statement: readonly PolicyStatement[]
}

export interface PolicyStatement {
  readonly Effect: 'Allow' | 'Deny'
  readonly Action: string | readonly string[]
  readonly Resource: string | readonly string[]
  readonly Condition?: { readonly StringLike?: Readonly<Record<string, string | readonly string[]>> }
}

export interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
}

const MAX_SKEW_MS = 15 * 60_000

interface Claim {
  readonly accessKeyId: string
  readonly scope: string
  readonly signedHeaders: readonly string[]
  readonly signature: string
}

/** @returns who signed, or why the request is refused */
export function authenticate(
  request: ServerRequest,
  users: readonly ServerUser[],
  nowMs: number,
): { readonly user: ServerUser } | { readonly refusal: Refusal } {
  const claim = claimOf(request.headers.authorization)
  if (claim === undefined) return refuse(403, 'AccessDenied', 'Anonymous requests are not allowed')
  const user = users.find(({ accessKeyId }) => accessKeyId === claim.accessKeyId)
  if (user === undefined) return refuse(403, 'InvalidAccessKeyId', 'The access key id is not known')
  const fault = faultOf(request, claim, user, nowMs)
  return fault ?? { user }
}

function faultOf(request: ServerRequest, claim: Claim, user: ServerUser, nowMs: number) {
  const { headers } = request
  if (headers['x-amz-security-token'] !== user.sessionToken) {
    return refuse(400, 'InvalidToken', 'The provided token is malformed or otherwise not valid')
  }
  const sentAt = timeOf(headers['x-amz-date'] ?? '')
  if (Number.isNaN(sentAt) || Math.abs(sentAt - nowMs) > MAX_SKEW_MS) {
    return refuse(
      403,
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large',
    )
  }
  if (!signsAll(request, claim) || !isSignedBy(request, claim, user.secretAccessKey)) {
    return refuse(403, 'SignatureDoesNotMatch', 'The request signature we calculated does not match')
  }
  if (user.expiresAtMs !== undefined && nowMs >= user.expiresAtMs) {
    return refuse(400, 'ExpiredToken', 'The provided token has expired')
  }
  const stated = headers['x-amz-content-sha256']
  if (stated !== undefined && stated !== 'UNSIGNED-PAYLOAD' && stated !== sha256(request.bytes)) {
    return stated.startsWith('STREAMING-')
      ? refuse(501, 'NotImplemented', 'Signed pieces are not taken')
      : refuse(400, 'XAmzContentSHA256Mismatch', 'The provided hash is not the one of the content')
  }
  return undefined
}

function refuse(status: number, code: string, message: string): { readonly refusal: Refusal } {
  return { refusal: { status, code, message } }
}

function claimOf(header: string | undefined): Claim | undefined {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      header ?? '',
    )
  if (parts === null) return undefined
  const [, accessKeyId = '', scope = '', signedHeaders = '', signature = ''] = parts
  return { accessKeyId, scope, signedHeaders: signedHeaders.split(';'), signature }
}

function timeOf(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}

/** The host and every header of the service's own must be part of what is signed. */
function signsAll({ headers }: ServerRequest, { signedHeaders }: Claim): boolean {
  const needed = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'))
  return needed.every((name) => signedHeaders.includes(name))
}

function isSignedBy(request: ServerRequest, { scope, signedHeaders, signature }: Claim, secret: string): boolean {
  const { headers, bytes } = request
  const canonical = [
    request.method,
    request.path,
    canonicalQuery(request.query),
    ...signedHeaders.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/\s+/g, ' ')}`),
    '',
    signedHeaders.join(';'),
    headers['x-amz-content-sha256'] ?? sha256(bytes),
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = scope.split('/').reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${secret}`)
  return timingSafeEqual(hmac(key, toSign), Buffer.from(signature, 'hex'))
}

function canonicalQuery(query: URLSearchParams): string {
  return Array.from(query, ([name, value]) => `${encodeAll(name)}=${encodeAll(value)}`)
    .sort((a, b) => (a < b ? -1 : 1))
    .join('&')
}

function encodeAll(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest()
}
