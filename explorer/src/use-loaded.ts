/** Loads something whenever its inputs change, keeps the last answer on screen meanwhile, drops answers that come late. */
import { useEffect, useState } from 'preact/hooks'
import { RemoteError } from './client.ts'
import type { Failure } from './messages.ts'

export interface Loaded<T> {
  readonly value: T | undefined
  readonly failure: Failure | undefined
  readonly loading: boolean
}

export function useLoaded<T>(load: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({ value: undefined, failure: undefined, loading: true })
  useEffect(() => {
    let wanted = true
    setState((previous) => ({ ...previous, loading: true }))
    load().then(
      (value) => wanted && setState({ value, failure: undefined, loading: false }),
      (error: unknown) => wanted && setState({ value: undefined, failure: failureFrom(error), loading: false }),
    )
    return () => {
      wanted = false
    }
  }, inputs)
  return state
}

export function failureFrom(error: unknown): Failure {
  if (error instanceof RemoteError) return error.failure
  if (error instanceof Error && 'failure' in error) return error.failure as Failure
  return { code: 'PAGE', message: error instanceof Error ? error.message : String(error), remedy: undefined }
}
