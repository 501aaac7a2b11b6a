/** JSON for the eye, every digit kept. */
import { type JsonValue, parseJson, printJson } from '../library.ts'

/** Two-space indentation. */
export function prettyJson(value: JsonValue, indent = ''): string {
  const inner = `${indent}  `
  if (Array.isArray(value) && value.length > 0) {
    return `[\n${value.map((item: JsonValue) => inner + prettyJson(item, inner)).join(',\n')}\n${indent}]`
  }
  const text = printJson(value)
  if (!text.startsWith('{') || text === '{}') return text
  const members = Object.entries(value as Readonly<Record<string, JsonValue>>)
  return `{\n${members.map(([key, item]) => `${inner}${JSON.stringify(key)}: ${prettyJson(item, inner)}`).join(',\n')}\n${indent}}`
}

/** Text that is not JSON is shown as the text it is. */
export function parseLoosely(text: string): JsonValue {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
