/**
 * The one error class of the project and the few subclasses that callers branch on.
 *
 * An error says what happened, to what, and what to do: `message` is the first two, `remedy` the third. It carries a
 * code from the catalogue and the SQLSTATE that goes with it. Classes are branded by a registered symbol, so that two
 * copies of this package in one process recognise each other's errors.
 */
import { type ErrorCode, type ErrorSpec, specOf } from './catalogue/index.ts'

const BRAND = Symbol.for('bayou.DeltaError')

export type ErrorDetails = Readonly<Record<string, unknown>>

export interface DeltaErrorOptions {
  readonly cause?: unknown
}

/** What every failure of this package is: a code, a sentence, its parts, and whether trying again can help. */
export class DeltaError extends Error {
  readonly code: ErrorCode
  readonly sqlState: string
  /** the values that fill the message, and others that help a program (paths, versions, row numbers) */
  readonly details: ErrorDetails
  /** what to do, as a clause that can follow `; `, or nothing where there is no advice */
  readonly remedy: string | undefined
  /** whether the same call may succeed if it is simply made again */
  readonly retryable: boolean
  readonly [BRAND] = true

  constructor(code: ErrorCode, details: ErrorDetails = {}, options: DeltaErrorOptions = {}) {
    const spec: ErrorSpec = specOf(code)
    super(fill(spec.message, details), options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.code = code
    this.sqlState = spec.sqlState
    this.details = details
    this.remedy = spec.remedy === undefined ? undefined : fill(spec.remedy, details)
    this.retryable = spec.retryable ?? false
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isBranded(value) && matchesKind(value, kindOfClass.get(this))
  }
}

/** Another writer's commit made this one impossible; running the operation again is the cure. */
export class ConflictError extends DeltaError {}
/** A feature, type or option this package names and refuses. */
export class UnsupportedError extends DeltaError {}
/** A store did not do what was asked: missing object, denied, unreachable. */
export class StorageError extends DeltaError {}
/** The call itself was wrong: an argument, an option, a configuration key. */
export class UsageError extends DeltaError {}

const classOfKind = {
  error: DeltaError,
  conflict: ConflictError,
  unsupported: UnsupportedError,
  storage: StorageError,
  usage: UsageError,
} as const

const kindOfClass = new Map<unknown, string>(Object.entries(classOfKind).map(([kind, type]) => [type, kind]))

/**
 * Makes the error of a code, in the class its catalogue entry names.
 *
 * @param details fills the `{name}` blanks of the message and of the remedy
 */
export function deltaError(code: ErrorCode, details: ErrorDetails = {}, options: DeltaErrorOptions = {}): DeltaError {
  return new classOfKind[specOf(code).kind ?? 'error'](code, details, options)
}

/** Whether a thrown value is an error of this package (of any copy of it) with one of the given codes, or any code. */
export function isDeltaError(value: unknown, ...codes: ErrorCode[]): value is DeltaError {
  return isBranded(value) && (codes.length === 0 || codes.includes(value.code))
}

/** The text of any thrown value, for the `{cause}` blank of a message. */
export function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  return SYSTEM_FAULTS.get(code) ?? cause.message
}

/** What an operating system says of files, in words; its own text names calls and temporary files. */
const SYSTEM_FAULTS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['ENOTDIR', 'a part of its path is a file, not a folder'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'permission is denied'],
  ['EPERM', 'the operation is not permitted'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space is left on the device'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EMFILE', 'too many files are open'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['ELOOP', 'its links lead in a circle'],
])

function isBranded(value: unknown): value is DeltaError {
  return typeof value === 'object' && value !== null && BRAND in value
}

function matchesKind(error: DeltaError, kind: string | undefined): boolean {
  return kind === undefined || kind === 'error' || (specOf(error.code).kind ?? 'error') === kind
}

function fill(template: string, details: ErrorDetails): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => printDetail(details[name]))
}

function printDetail(value: unknown): string {
  if (Array.isArray(value)) return value.map(printDetail).join(', ')
  return value === undefined ? '…' : String(value)
}
