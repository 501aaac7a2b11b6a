/** Roles that can be assumed. Source: AWS Security Token Service, "AssumeRole". */
import { randomUUID } from 'node:crypto'
import type { Answer, ServerRequest } from './http-exchange.ts'
import type { AccessPolicy, ServerUser } from './signature.ts'

export interface AssumableRole {
  readonly policy?: AccessPolicy
  /** must be named by whoever assumes it, where it is given */
  readonly externalId?: string
  /** how long what is handed out holds, milliseconds; what is asked for when absent */
  readonly lifetimeMs?: number
}

interface Assumed {
  readonly answer: Answer
  /** who may sign from now on */
  readonly user?: ServerUser
}

export function assumeRole(
  request: ServerRequest,
  roles: Readonly<Record<string, AssumableRole>>,
  nowMs: number,
): Assumed {
  const form = new URLSearchParams(Buffer.from(request.bytes).toString())
  if (form.get('Action') !== 'AssumeRole') return { answer: refusal(400, 'InvalidAction', 'this is not known') }
  const arn = form.get('RoleArn') ?? ''
  const role = Object.hasOwn(roles, arn) ? roles[arn] : undefined
  if (role === undefined || (role.externalId !== undefined && role.externalId !== form.get('ExternalId'))) {
    return { answer: refusal(403, 'AccessDenied', `not authorized to perform: sts:AssumeRole on ${arn}`) }
  }
  const lifetimeMs = role.lifetimeMs ?? Number(form.get('DurationSeconds') ?? 3600) * 1000
  const user = {
    accessKeyId: `ASIA${randomUUID().replaceAll('-', '').slice(0, 16).toUpperCase()}`,
    secretAccessKey: randomUUID(),
    sessionToken: randomUUID(),
    expiresAtMs: nowMs + lifetimeMs,
    ...(role.policy !== undefined && { policy: role.policy }),
  }
  return { answer: granted(user), user }
}

function granted(user: Required<Pick<ServerUser, 'sessionToken' | 'expiresAtMs'>> & ServerUser): Answer {
  const body =
    '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>' +
    `<AccessKeyId>${user.accessKeyId}</AccessKeyId><SecretAccessKey>${user.secretAccessKey}</SecretAccessKey>` +
    `<SessionToken>${user.sessionToken}</SessionToken>` +
    `<Expiration>${new Date(user.expiresAtMs).toISOString()}</Expiration>` +
    '</Credentials></AssumeRoleResult></AssumeRoleResponse>'
  return { status: 200, headers: { 'content-type': 'text/xml' }, body }
}

function refusal(status: number, code: string, message: string): Answer {
  const body = `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`
  return { status, headers: { 'content-type': 'text/xml' }, body }
}
