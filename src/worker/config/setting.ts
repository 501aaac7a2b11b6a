/**
 * Settings, each declared once: name, type, default, range, description, example.
 *
 * The check of a configuration and its reference page both come from these declarations.
 */
import { z } from 'zod'
import { type DeltaError, deltaError } from '../../errors/index.ts'

export interface Setting<T> {
  /** what a value is, as a phrase that follows "it is" */
  readonly allowed: string
  readonly schema: z.ZodType<T>
  readonly required: boolean
  /** what stands for an absent key; `undefined` where nothing does */
  readonly fallback: T | undefined
  readonly description: string
  readonly example: unknown
}

export type Settings = Readonly<Record<string, Setting<unknown>>>

export type ValuesOf<S extends Settings> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never
}

/** One thing wrong in a configuration: the error, and the path of the key it stands at. */
export type Fault = DeltaError

interface About<T> {
  readonly description: string
  readonly example: T
}

export function text(about: About<string>): Setting<string> {
  return required('a text that is not empty', z.string().min(1), about)
}

/** A text of a form. */
export function textOf(allowed: string, form: RegExp, about: About<string>): Setting<string> {
  return required(allowed, z.string().regex(form), about)
}

export function optionalText(about: About<string>): Setting<string | undefined> {
  return optional('a text that is not empty', z.string().min(1), about)
}

export function textOr(fallback: string, about: About<string>): Setting<string> {
  return withDefault('a text', z.string(), fallback, about)
}

export function integer(about: About<number> & { min: number; max: number; fallback: number }): Setting<number> {
  const schema = z.number().int().min(about.min).max(about.max)
  return withDefault(rangeText(about.min, about.max), schema, about.fallback, about)
}

export function optionalInteger(about: About<number> & { min: number; max: number }): Setting<number | undefined> {
  return optional(rangeText(about.min, about.max), z.number().int().min(about.min).max(about.max), about)
}

export function flag(fallback: boolean, about: About<boolean>): Setting<boolean> {
  return withDefault('true or false', z.boolean(), fallback, about)
}

export function optionalFlag(about: About<boolean>): Setting<boolean | undefined> {
  return optional('true or false', z.boolean(), about)
}

export function choice<const T extends string>(values: readonly [T, ...T[]], about: About<T>): Setting<T> {
  return withDefault(listText(values), z.enum(values), values[0], about)
}

export function optionalChoice<const T extends string>(
  values: readonly [T, ...T[]],
  about: About<T>,
): Setting<T | undefined> {
  return optional(listText(values), z.enum(values), about)
}

export function textList(about: About<readonly string[]>): Setting<readonly string[]> {
  return withDefault('a list of texts', z.array(z.string().min(1)), [], about)
}

/** One text or more, each of a form. */
export function texts(allowed: string, form: RegExp, about: About<readonly string[]>): Setting<readonly string[]> {
  return required(allowed, z.array(z.string().regex(form)).min(1), about)
}

/** A value with a shape of its own, checked further by whoever reads it. */
export function json(allowed: string, about: About<unknown>): Setting<unknown> {
  return optional(allowed, z.unknown(), about)
}

function required<T>(allowed: string, schema: z.ZodType<T>, about: About<T>): Setting<T> {
  return { allowed, schema, required: true, fallback: undefined, ...pick(about) }
}
function optional<T>(allowed: string, schema: z.ZodType<T>, about: About<T>): Setting<T | undefined> {
  return { allowed, schema, required: false, fallback: undefined, ...pick(about) }
}
function withDefault<T>(allowed: string, schema: z.ZodType<T>, fallback: T, about: About<T>): Setting<T> {
  return { allowed, schema, required: false, fallback, ...pick(about) }
}
function pick({ description, example }: About<unknown>) {
  return { description, example }
}

/**
 * Reads an object by its declarations; what is wrong is added to `faults`, each with `details.key`.
 *
 * @returns the values, an absent or wrong one by its default
 */
export function readSettings<S extends Settings>(
  settings: S,
  json: Readonly<Record<string, unknown>>,
  place: Place,
  faults: Fault[],
): ValuesOf<S> {
  for (const name of Object.keys(json)) {
    if (!Object.hasOwn(settings, name) && json[name] !== undefined) {
      faults.push(place.fault('WORKER_CONFIG_UNKNOWN_KEY', name, { allowed: Object.keys(settings) }))
    }
  }
  const values = Object.entries(settings).map(([name, setting]) => [
    name,
    readSetting(name, setting, Object.hasOwn(json, name) ? json[name] : undefined, place, faults),
  ])
  return Object.fromEntries(values) as ValuesOf<S>
}

function readSetting(name: string, setting: Setting<unknown>, value: unknown, place: Place, faults: Fault[]): unknown {
  const { allowed, fallback } = setting
  if (value === undefined) {
    if (setting.required) faults.push(place.fault('WORKER_CONFIG_MISSING', name, { allowed }))
    return fallback
  }
  const parsed = setting.schema.safeParse(value)
  if (parsed.success) return parsed.data
  faults.push(place.fault('WORKER_CONFIG_VALUE', name, { value: printValue(value), allowed }))
  return fallback
}

/** Where in the configuration something stands, for the faults found there. */
export class Place {
  readonly path: string
  /** what the source, route or destination is called, where it is known */
  readonly owner: Readonly<Record<string, string>>

  constructor(path: string, owner: Readonly<Record<string, string>> = {}) {
    this.path = path
    this.owner = owner
  }

  /** @param name the key at fault below this place; empty for the place itself */
  fault(code: Parameters<typeof deltaError>[0], name: string, details: Record<string, unknown> = {}): Fault {
    const key = [this.path, name].filter((part) => part !== '').join('.')
    return deltaError(code, { ...this.owner, key, name, ...details })
  }

  inner(path: string): Place {
    return new Place(`${this.path}.${path}`, this.owner)
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What stands as `user:password@` in an address is not shown. */
export function withoutPassword(text: string): string {
  return text.replace(/[^/\s"@]*:[^/\s"@]*@/g, '…@')
}

/** A value of a configuration as it is shown in a message: short, in JSON. */
export function printValue(value: unknown): string {
  const text = withoutPassword(JSON.stringify(value))
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}

export function listText(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
}

function rangeText(min: number, max: number): string {
  return max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`
}
