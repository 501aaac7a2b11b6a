/**
 * A source of batches that are posted. A batch is answered when the commit that holds its records has landed, never
 * before.
 *
 * Callers are asked to wait by 429 while the batches without a commit hold more than `maxPendingBytes`, and by 503 while
 * the worker stops. A body is unpacked as its content-encoding says, and refused by 413 where it is too large then.
 */
import { causeText } from '../../errors/index.ts'
import { ONLY_PARTITION } from './file.ts'
import { type BodyRefusal, readBody, tooLarge } from './request-body.ts'
import type { BatchOutcome, OpenOptions, Source, SourceBatch } from './source.ts'

export interface HttpSource extends Source {
  /** where batches are posted */
  readonly path: string
  receive(request: Request): Promise<Response>
}

export interface PostedRecords {
  readonly bytes: Uint8Array
  readonly columns?: readonly string[]
  readonly records: number
}

/** What is posted, and how it is answered. */
export interface PostedForm {
  /** @returns the records, or why the body is refused */
  parse(request: Request, bytes: Uint8Array): PostedRecords | PostRefusal
  /** how many records were committed, and how many of them did not fit */
  accept(request: Request, counts: { readonly records: number; readonly refused: number }): Response
  refuse(request: Request, refusal: PostRefusal): Response
}

export interface PostRefusal extends Omit<BodyRefusal, 'status'> {
  readonly status: 400 | 413 | 415 | 429 | 503
}

interface PostedConfig {
  readonly id: string
  readonly maxBodyBytes: number
  readonly maxPendingBytes: number
}

const CLOSED: PostRefusal = {
  status: 503,
  error: 'the worker takes no batches now',
  headers: { 'retry-after': '5' },
}
const BUSY: PostRefusal = {
  status: 429,
  error: 'too many batches wait for their commit',
  headers: { 'retry-after': '1' },
}

export function postedSource(config: PostedConfig, path: string, form: PostedForm): HttpSource {
  const queue = new BatchQueue()
  const isBusy = (length: number) => queue.pendingBytes > 0 && queue.pendingBytes + length > config.maxPendingBytes

  const take = async (request: Request): Promise<PostRefusal | { records: number; refused: number }> => {
    if (!queue.isOpen) return CLOSED
    const length = Number(request.headers.get('content-length') ?? 0)
    if (length > config.maxBodyBytes) return tooLarge(config.maxBodyBytes)
    if (isBusy(length)) return BUSY
    const bytes = await readBody(request, config.maxBodyBytes)
    if (!(bytes instanceof Uint8Array)) return bytes
    if (isBusy(bytes.length)) return BUSY
    const body = form.parse(request, bytes)
    if ('error' in body) return body
    const { records, ...batch } = body
    if (records === 0) return { records: 0, refused: 0 }
    if (!queue.isOpen) return CLOSED
    const outcome = await queue.add(batch)
    if (outcome.kind === 'committed') return { records, refused: outcome.refused }
    return { ...CLOSED, error: `the batch was not committed: ${causeText(outcome.error)}` }
  }

  return {
    id: config.id,
    path,
    isReplayable: false,
    open: ({ signal }: OpenOptions) => queue.batches(signal),
    receive: async (request) => {
      const answer = await take(request)
      return 'error' in answer ? form.refuse(request, answer) : form.accept(request, answer)
    },
  }
}

/** Batches that came and were not read yet, and what is held until it has its commit. */
class BatchQueue {
  isOpen = false
  pendingBytes = 0
  private readonly waiting: SourceBatch[] = []
  private position = 0n
  private wake = (): void => undefined

  add(body: Omit<PostedRecords, 'records'>): Promise<BatchOutcome> {
    return new Promise((resolve) => {
      const held = body.bytes.length
      this.pendingBytes += held
      const start = this.position
      this.position += BigInt(held)
      let isSettled = false
      const settle = (outcome: BatchOutcome) => {
        if (!isSettled) this.pendingBytes -= held
        isSettled = true
        resolve(outcome)
      }
      this.waiting.push({ partition: ONLY_PARTITION, ...body, start, end: this.position, unit: 'byte', settle })
      this.wake()
    })
  }

  async *batches(signal: AbortSignal): AsyncGenerator<SourceBatch> {
    this.isOpen = true
    const close = () => {
      this.isOpen = false
      this.wake()
    }
    signal.addEventListener('abort', close, { once: true })
    if (signal.aborted) close()
    try {
      while (this.isOpen || this.waiting.length > 0) {
        const next = this.waiting.shift()
        if (next !== undefined) yield next
        else await this.moreOrClosed()
      }
    } finally {
      // Whoever reads no further leaves callers waiting: they are told.
      this.isOpen = false
      const error = new Error('the worker stopped')
      for (const batch of this.waiting.splice(0)) batch.settle?.({ kind: 'failed', error })
    }
  }

  private moreOrClosed(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
      if (!this.isOpen || this.waiting.length > 0) resolve()
    })
  }
}
