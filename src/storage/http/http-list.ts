/** Listing by a server's JSON answers, page after page until one is empty. */
import { deltaError } from '../../errors/index.ts'
import { compareText, decodeUtf8, isJsonObject, type JsonValue, parseJson } from '../../support/index.ts'
import { isListed } from '../key.ts'
import type { ListOptions, ObjectMeta, StoreCallOptions } from '../object-store.ts'
import { type HttpCall, send } from './http-call.ts'

export async function* listOverHttp(
  call: HttpCall,
  query: string,
  options: ListOptions & StoreCallOptions,
): AsyncGenerator<readonly ObjectMeta[]> {
  let startAfter = options.startAfter
  while (true) {
    const page = await loadPage(call, query, { ...options, ...(startAfter === undefined ? {} : { startAfter }) })
    if (page.length === 0) return
    yield page
    startAfter = page.at(-1)!.key
  }
}

async function loadPage(
  call: HttpCall,
  query: string,
  options: ListOptions & StoreCallOptions,
): Promise<readonly ObjectMeta[]> {
  const parameters = new URLSearchParams(query)
  parameters.set('list', '')
  parameters.set('prefix', options.prefix)
  parameters.set('startAfter', options.startAfter ?? '')
  parameters.set('shallow', String(options.shallow === true))
  const url = `${call.location}/?${parameters}`
  const answer = await send(call, { operation: 'list', key: options.prefix, url }, options.signal)
  const page = parsePage(decodeUtf8(await answer.readAll()))
  if (page === undefined) throw badListing(call, options, 'the answer is not a JSON array of {key, size, modifiedMs}')
  // A server that ignores startAfter would be asked for ever; one that ignores the order would hide commits.
  page.reduce((previous, { key }) => {
    const ascends = previous === undefined || compareText(previous, key) < 0
    if (!ascends || !isListed(key, options)) throw badListing(call, options, `the key ${key} is out of place in it`)
    return key
  }, options.startAfter)
  return page
}

function parsePage(text: string): ObjectMeta[] | undefined {
  let json: JsonValue
  try {
    json = parseJson(text)
  } catch {
    return undefined
  }
  if (!Array.isArray(json)) return undefined
  const page = (json as readonly JsonValue[]).map(parseMeta)
  return page.every((meta) => meta !== undefined) ? page : undefined
}

function parseMeta(json: JsonValue): ObjectMeta | undefined {
  if (!isJsonObject(json) || typeof json.key !== 'string') return undefined
  const [size, modifiedMs] = [Number(json.size), Number(json.modifiedMs)]
  return Number.isSafeInteger(size) && Number.isFinite(modifiedMs) ? { key: json.key, size, modifiedMs } : undefined
}

function badListing(call: HttpCall, options: ListOptions, cause: string) {
  return deltaError('LAKE_STORAGE_UNAVAILABLE', {
    operation: 'list',
    key: options.prefix,
    location: call.location,
    cause,
  })
}
