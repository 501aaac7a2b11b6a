/** Actions as the lines of a commit. What `parseAction` read is printed with nothing lost. */
import type { JsonObject, JsonValue } from '../../support/index.ts'
import { printJson } from '../../support/index.ts'
import type { Action, DeletionVectorDescriptor, Metadata } from './actions.ts'

/** One action as one line of JSON, without a newline. */
export function printAction(action: Action): string {
  if ('unknown' in action) return printJson(action.unknown)
  if ('commitInfo' in action) return printJson({ commitInfo: action.commitInfo })
  if ('metaData' in action) return printJson({ metaData: metadataToJson(action.metaData) })
  const [kind, body] = Object.entries(action)[0] as [string, object]
  return `{"${kind}":${printMembers(body)}}`
}

/** The text of a commit: one line an action, each ended. */
export function printActions(actions: readonly Action[]): string {
  return actions.map((action) => `${printAction(action)}\n`).join('')
}

/** Texts of maps: files of a partition share theirs. */
const mapTexts = new WeakMap<ReadonlyMap<string, string | null>, string>()

/** As `membersToJson` has them, without an object of their own: a checkpoint prints each file of a table. */
function printMembers(body: object): string {
  if ('extra' in body) return printJson(membersToJson(body))
  let text = ''
  for (const [name, value] of Object.entries(body) as [string, unknown][]) {
    if (value === undefined) continue
    const printed = value instanceof Map ? printMap(value) : printJson(value as JsonValue)
    text += `${text === '' ? '' : ','}"${name}":${printed}`
  }
  return `{${text}}`
}

function printMap(map: ReadonlyMap<string, string | null>): string {
  const known = mapTexts.get(map)
  if (known !== undefined) return known
  const text = printJson(mapToJson(map))
  mapTexts.set(map, text)
  return text
}

function metadataToJson(metadata: Metadata): JsonObject {
  const { format, ...rest } = metadata
  const json = membersToJson(rest)
  const { id, name, description, ...others } = json
  return { id, name, description, format: membersToJson(format), ...others }
}

/** Maps become objects, `extra` is spread last, everything else is JSON already. */
function membersToJson(body: object): JsonObject {
  const { extra, ...members } = body as Record<string, unknown> & { extra?: JsonObject }
  const entries = Object.entries(members).map(([name, value]): [string, JsonValue | undefined] => [
    name,
    value instanceof Map ? mapToJson(value) : memberToJson(name, value),
  ])
  return Object.fromEntries([...entries, ...Object.entries(extra ?? {})])
}

function memberToJson(name: string, value: unknown): JsonValue | undefined {
  if (name === 'deletionVector' && value !== undefined) return { ...(value as DeletionVectorDescriptor) }
  return value as JsonValue | undefined
}

/** `Object.fromEntries` defines its members, so that a key `__proto__` is a key like any other. */
function mapToJson(map: ReadonlyMap<string, string | null>): JsonObject {
  return Object.fromEntries(map)
}
