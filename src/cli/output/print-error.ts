/** Failures as standard error shows them, and the exit status they lead to. */
import { CommanderError } from 'commander'
import { type DeltaError, deltaError, isDeltaError } from '../../errors/index.ts'

export const EXIT_FAILED = 1
export const EXIT_USAGE = 2
export const EXIT_INTERRUPTED = 130

/** Any thrown value as an error of the catalogue; what is not one is a fault of this package. */
export function asDeltaError(thrown: unknown): DeltaError {
  if (isDeltaError(thrown)) return thrown
  if (thrown instanceof CommanderError) return usageError(thrown)
  const what = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  return deltaError('LAKE_INTERNAL', { what }, { cause: thrown })
}

function usageError(error: CommanderError): DeltaError {
  const problem = error.message
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\.?\s*$/, '')
  return deltaError('LAKE_USAGE', {
    problem,
    advice: 'bayou --help lists the commands, bayou COMMAND --help the options',
  })
}

/** `error: CODE: what happened; what to do`, or the JSON form. */
export function errorText(error: DeltaError, json: boolean): string {
  if (json) {
    const { code, sqlState, message, details } = error
    return JSON.stringify({ error: { code, sqlState, message, details } }, plainValue)
  }
  return `error: ${error.code}: ${placeOf(error)}${error.message}${error.remedy === undefined ? '' : `; ${error.remedy}`}`
}

/** What of a worker's configuration the error is about: its sentences leave that out. */
function placeOf({ code, details }: DeltaError): string {
  if (!code.startsWith('WORKER_')) return ''
  const { destination, route, source, key, name } = details
  const id = destination ?? route ?? (key && source)
  // a fault of the whole object is told by its id, one of a key by the key's path too
  const path = id === undefined || name !== '' ? key : undefined
  return [id, path]
    .filter((part) => typeof part === 'string' && part !== '')
    .map((part) => `${part}: `)
    .join('')
}

/** bigint as its digits in text, a Map as an object, an error as its message. */
function plainValue(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Map) return Object.fromEntries(value)
  return value instanceof Error ? value.message : value
}

export function exitStatusOf(error: DeltaError): number {
  if (error.code === 'LAKE_CANCELLED') return EXIT_INTERRUPTED
  return error.code === 'LAKE_USAGE' ? EXIT_USAGE : EXIT_FAILED
}
