/** Calls the reader in its worker; an answer that is no longer wanted is dropped by the caller. */
import type { AnswerMessage, CallMessage, Failure, Reader } from './messages.ts'

/** What the reader failed with, for the page to show. */
export class ReaderError extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

export function startReader(): Reader {
  const worker = new Worker(new URL('./reader.worker.ts', import.meta.url), { type: 'module' })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let lastId = 0
  worker.addEventListener('message', ({ data }: MessageEvent<AnswerMessage>) => {
    const call = waiting.get(data.id)
    waiting.delete(data.id)
    if (data.ok) call?.resolve(data.value)
    else call?.reject(new ReaderError(data.failure))
  })
  worker.addEventListener('error', (event) => {
    for (const call of waiting.values()) call.reject(new Error(event.message || 'the reader did not start'))
    waiting.clear()
  })
  const call = (method: keyof Reader, ...args: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      const message: CallMessage = { id: ++lastId, method, args }
      waiting.set(message.id, { resolve, reject })
      worker.postMessage(message)
    })
  return {
    open: (...args) => call('open', ...args) as ReturnType<Reader['open']>,
    state: (...args) => call('state', ...args) as ReturnType<Reader['state']>,
    files: (...args) => call('files', ...args) as ReturnType<Reader['files']>,
    commit: (...args) => call('commit', ...args) as ReturnType<Reader['commit']>,
    rows: (...args) => call('rows', ...args) as ReturnType<Reader['rows']>,
  }
}
