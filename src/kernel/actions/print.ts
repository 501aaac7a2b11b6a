/** Actions as the lines of a commit. What `parseAction` read is printed with nothing lost. */
import type { JsonObject, JsonValue } from '../../support/index.ts'
import { printJson } from '../../support/index.ts'
import type { Action, DeletionVectorDescriptor, Metadata } from './actions.ts'

/** One action as one line of JSON, without a newline. */
export function printAction(action: Action): string {
  return printJson(actionToJson(action))
}

/** The text of a commit: one line an action, each ended. */
export function printActions(actions: readonly Action[]): string {
  return actions.map((action) => `${printAction(action)}\n`).join('')
}

function actionToJson(action: Action): JsonObject {
  if ('unknown' in action) return action.unknown
  if ('commitInfo' in action) return { commitInfo: action.commitInfo }
  if ('metaData' in action) return { metaData: metadataToJson(action.metaData) }
  const [kind, body] = Object.entries(action)[0] as [string, object]
  return { [kind]: membersToJson(body) }
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
