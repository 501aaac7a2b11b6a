/** Calls the engine in its worker; an answer that is no longer wanted is dropped by the caller. */
import type { Failure } from './messages.ts'
import type { AnswerMessage, CallMessage, Remote } from './remote.ts'

/** What the engine failed with, for the page to show. */
export class RemoteError extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

/** Starts the engine when it is first asked for something. */
export function startRemote(): Remote {
  let ask: ReturnType<typeof connect> | undefined
  return new Proxy({} as Remote, {
    get: (_, method) => {
      return (...args: unknown[]) => {
        ask ??= connect()
        return ask(method as keyof Remote, args)
      }
    },
  })
}

function connect() {
  const worker = new Worker(new URL('./engine.worker.ts', import.meta.url), { type: 'module' })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let lastId = 0
  worker.addEventListener('message', ({ data }: MessageEvent<AnswerMessage>) => {
    const call = waiting.get(data.id)
    waiting.delete(data.id)
    if (data.ok) call?.resolve(data.value)
    else call?.reject(new RemoteError(data.failure))
  })
  worker.addEventListener('error', (event) => {
    for (const call of waiting.values()) call.reject(new Error(event.message || 'the engine did not start'))
    waiting.clear()
  })
  return (method: keyof Remote, args: readonly unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      const message: CallMessage = { id: ++lastId, method, args }
      waiting.set(message.id, { resolve, reject })
      worker.postMessage(message)
    })
}
