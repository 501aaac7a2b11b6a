/** One request to a workspace: tried again where the fault can pass, told in the workspace's own words where it cannot. */
import { causeText, deltaError } from '../../errors/index.ts'
import { delay, isJsonObject, type JsonObject, parseJson, SECOND_MS } from '../../support/index.ts'

export interface UnityConnection {
  /** `https://host`, without a slash behind it */
  readonly workspace: string
  /** milliseconds one request may take */
  readonly timeoutMs: number
  readonly fetch: typeof fetch
  /** texts that must not come out in a message */
  readonly secrets: () => readonly string[]
  /** waits; for tests */
  readonly sleep?: (ms: number) => Promise<void>
}

export interface UnityRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** An answer that is no fault of the moment. */
export interface UnityAnswer {
  readonly status: number
  /** the body, where it is a JSON object */
  readonly json: JsonObject
  /** the workspace's own code and sentence, for refusals */
  readonly reason: string
}

const ATTEMPTS = 5
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 30 * SECOND_MS
const MAX_REASON = 400

/** @throws DeltaError `WORKER_UNITY_UNAVAILABLE` once trying again did not help */
export async function ask(connection: UnityConnection, request: UnityRequest): Promise<UnityAnswer> {
  const { sleep = delay } = connection
  for (let attempt = 1; ; attempt++) {
    const found = await askOnce(connection, request)
    if (!('failure' in found)) return found
    if (attempt >= ATTEMPTS) {
      const { workspace } = connection
      throw deltaError('WORKER_UNITY_UNAVAILABLE', { workspace, path: request.path, cause: found.failure })
    }
    const longest = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1))
    await sleep(Math.min(MAX_DELAY_MS, found.waitMs ?? longest * (0.5 + Math.random() / 2)))
  }
}

interface Passing {
  readonly failure: string
  /** what the service asks to wait, milliseconds */
  readonly waitMs?: number
}

async function askOnce(connection: UnityConnection, request: UnityRequest): Promise<UnityAnswer | Passing> {
  const { workspace, timeoutMs, fetch } = connection
  const { method, path, headers, body } = request
  let status: number
  let text: string
  let retryAfter: string | null
  try {
    // a redirect would carry the secret to where nobody sent it
    const options = { method, headers, redirect: 'error' as const, signal: AbortSignal.timeout(timeoutMs) }
    const response = await fetch(`${workspace}${path}`, { ...options, ...(body !== undefined && { body }) })
    status = response.status
    retryAfter = response.headers.get('retry-after')
    text = await response.text()
  } catch (error) {
    return { failure: withoutSecrets(connection, failureText(error)) }
  }
  const json = parseObject(text)
  const reason = withoutSecrets(connection, reasonOf(json, text))
  if (status !== 429 && status < 500) return { status, json: json ?? {}, reason }
  const seconds = Number(retryAfter ?? Number.NaN)
  return { failure: `it answered ${status}, ${reason}`, ...(seconds >= 0 && { waitMs: seconds * SECOND_MS }) }
}

function failureText(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return causeText(cause)
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const json = parseJson(text)
    return isJsonObject(json) ? json : undefined
  } catch {
    return undefined
  }
}

/** OAuth says `error` and `error_description`, the catalog `error_code` and `message`; other answers are plain text. */
function reasonOf(json: JsonObject | undefined, text: string): string {
  const named = [json?.error_code ?? json?.errorCode ?? json?.error, json?.message ?? json?.error_description]
  const said = named.filter((part) => typeof part === 'string' && part !== '').join(': ')
  const plain = said === '' ? text.replace(/\s+/g, ' ').trim() : said
  return plain === '' ? 'it gave no reason' : plain.slice(0, MAX_REASON)
}

function withoutSecrets({ secrets }: UnityConnection, text: string): string {
  return secrets()
    .filter((secret) => secret !== '')
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
}
