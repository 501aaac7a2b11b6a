/** The actions of a commit as its bytes hold them. */
import { commitKey, decodeUtf8, isJsonObject, type JsonValue, type ObjectStore } from '../library.ts'
import type { ActionView, CommitView } from '../messages.ts'
import { parseLoosely, prettyJson } from './json-text.ts'

export async function commitView(store: ObjectStore, version: number): Promise<CommitView> {
  const file = commitKey(version)
  return { version, file, actions: actionViews(decodeUtf8(await store.get(file))) }
}

/** @param text lines of JSON, one an action */
export function actionViews(text: string): ActionView[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(actionView)
}

function actionView(line: string): ActionView {
  const json = parseLoosely(line)
  const [kind, body] = isJsonObject(json) ? (Object.entries(json)[0] ?? ['', null]) : ['text', null]
  return { kind, summary: actionSummary(body ?? null), json: prettyJson(json) }
}

function actionSummary(body: JsonValue): string {
  if (!isJsonObject(body)) return ''
  const shown = body.path ?? body.operation ?? body.appId ?? body.domain ?? body.id
  return typeof shown === 'string' ? shown : ''
}
