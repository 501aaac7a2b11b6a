/**
 * A small S3 in this process, to make what no real one does when asked.
 *
 * Path style. Signatures and rights are checked where users are given; a missing object is then told as AWS tells it:
 * as denied, to whoever may not list the bucket. Conditional writes, listings in pages, ranges and multipart uploads are
 * answered as AWS documents them. `AssumeRole` is answered at the same address.
 */
import { delay } from '../../support/index.ts'
import { type Answer, listen, type Sending, type ServerRequest } from './http-exchange.ts'
import { isAllowed } from './policy.ts'
import type { S3Fault, S3FaultPlan } from './s3-faults.ts'
import { failure, S3Objects } from './s3-objects.ts'
import { authenticate, type ServerUser } from './signature.ts'
import { type AssumableRole, assumeRole } from './sts.ts'

export interface S3Request extends ServerRequest {
  readonly bucket: string
  /** decoded, without the bucket */
  readonly key: string
}

export interface S3ServerOptions {
  /** the one bucket there is; any name is it when absent */
  readonly bucket?: string
  /** who may sign; when absent, nothing is checked */
  readonly users?: readonly ServerUser[]
  /** roles by their ARN, for whoever signs */
  readonly roles?: Readonly<Record<string, AssumableRole>>
  /** true: conditions of writes are passed over without a word, as some stores do */
  readonly ignoresConditions?: boolean
  /** milliseconds since 1970: the server's clock, to set it wrong */
  readonly now?: () => number
}

export interface S3Server {
  /** `http://127.0.0.1:PORT`, of S3 and of STS */
  readonly endpoint: string
  /** all there were, in order; emptied by the test as it likes */
  readonly requests: S3Request[]
  /** by key */
  readonly objects: Map<string, Uint8Array>
  /** when objects were written, milliseconds since 1970, by key; may be set */
  readonly modifiedMs: Map<string, number>
  /** parts of uploads begun and neither completed nor given up, by the id of the upload */
  readonly uploads: ReadonlyMap<string, ReadonlyMap<number, Uint8Array>>
  /** who may sign now; may be changed. Roles that were assumed are added */
  readonly users: ServerUser[]
  fault: S3FaultPlan | undefined
  /** keys on one page of a listing at most */
  pageSize: number
  close(): Promise<void>
}

/** Listens on a free port of this host until it is closed. */
export async function startS3Server(options: S3ServerOptions = {}): Promise<S3Server> {
  const server = new Server(options)
  const { url, close } = await listen((request) => server.serve(request))
  return Object.assign(server, { endpoint: url, close })
}

class Server {
  readonly requests: S3Request[] = []
  readonly users: ServerUser[]
  fault: S3FaultPlan | undefined
  private readonly options: S3ServerOptions
  private readonly bucket: S3Objects
  private readonly now: () => number

  constructor(options: S3ServerOptions) {
    this.options = options
    this.now = options.now ?? Date.now
    this.users = [...(options.users ?? [])]
    this.bucket = new S3Objects(this.now)
  }

  get objects(): Map<string, Uint8Array> {
    return this.bucket.objects
  }
  get modifiedMs(): Map<string, number> {
    return this.bucket.modifiedMs
  }
  get uploads(): ReadonlyMap<string, ReadonlyMap<number, Uint8Array>> {
    return this.bucket.uploads
  }
  get pageSize(): number {
    return this.bucket.pageSize
  }
  set pageSize(keys: number) {
    this.bucket.pageSize = keys
  }

  async serve(received: ServerRequest): Promise<Sending> {
    const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(received.path) ?? []
    const request = { ...received, bucket, key: decodeURIComponent(key) }
    this.requests.push(request)
    const fault = this.fault?.(request)
    if (fault?.kind === 'hang up') return fault
    const isUndone = fault?.kind === 'refuse'
    const answer = this.dated(isUndone ? failure(fault.status, fault.code) : this.answer(request))
    return fault === undefined || isUndone ? { kind: 'whole', answer } : await this.spoil(fault, answer)
  }

  private async spoil(fault: S3Fault, answer: Answer): Promise<Sending> {
    switch (fault.kind) {
      case 'done, hang up':
        return { kind: 'hang up' }
      case 'done, refuse':
        return { kind: 'whole', answer: this.dated(failure(fault.status, fault.code)) }
      case 'cut body':
        return { ...fault, answer }
      case 'slow':
        await delay(fault.ms)
        return { kind: 'whole', answer }
      default:
        return { kind: 'whole', answer }
    }
  }

  /** Clients set their clocks by this header. */
  private dated(answer: Answer): Answer {
    return { ...answer, headers: { ...answer.headers, date: new Date(this.now()).toUTCString() } }
  }

  private answer(request: S3Request): Answer {
    const isChecked = this.options.users !== undefined
    const found = isChecked ? authenticate(request, this.users, this.now()) : { user: undefined }
    if ('refusal' in found) return failure(found.refusal.status, found.refusal.code, found.refusal.message)
    if (request.method === 'POST' && request.path === '/') return this.assume(request)
    if (this.options.bucket !== undefined && request.bucket !== this.options.bucket) return failure(404, 'NoSuchBucket')
    if (!isAllowed(found.user, accessOf(request))) return denied(request)
    if (this.isHidden(request, found.user)) return denied(request)
    return this.bucket.answer(this.options.ignoresConditions === true ? withoutConditions(request) : request)
  }

  private assume(request: S3Request): Answer {
    const { answer, user } = assumeRole(request, this.options.roles ?? {}, this.now())
    if (user !== undefined) this.users.push(user)
    return answer
  }

  /** That there is no such object is told only to those who could list it. */
  private isHidden({ method, key, bucket }: S3Request, user: ServerUser | undefined): boolean {
    if ((method !== 'GET' && method !== 'HEAD') || key === '' || this.objects.has(key)) return false
    return !isAllowed(user, { action: 's3:ListBucket', resource: `arn:aws:s3:::${bucket}` })
  }
}

function withoutConditions(request: S3Request): S3Request {
  return { ...request, headers: { ...request.headers, 'if-none-match': undefined, 'if-match': undefined } }
}

function denied({ method }: S3Request): Answer {
  return method === 'HEAD' ? { status: 403 } : failure(403, 'AccessDenied', 'Access Denied')
}

function accessOf({ method, bucket, key, query }: S3Request) {
  const resource = `arn:aws:s3:::${bucket}`
  if (key === '') return { action: 's3:ListBucket', resource, context: { 's3:prefix': query.get('prefix') ?? '' } }
  const read = method === 'GET' || method === 'HEAD'
  const remove = query.has('uploadId') ? 's3:AbortMultipartUpload' : 's3:DeleteObject'
  const action = read ? 's3:GetObject' : method === 'DELETE' ? remove : 's3:PutObject'
  return { action, resource: `${resource}/${key}` }
}
