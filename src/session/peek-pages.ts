/** Whether pages hold so little that starting a statement costs more than the work itself. */
import type { Row, Value } from '../schema/index.ts'

export interface PeekedPages<T> {
  /** whether the pages end within the bound */
  readonly areFew: boolean
  /** all of them, to be read once */
  readonly pages: AsyncIterable<readonly T[]>
}

/**
 * Reads pages until they end or weigh more than a bound; a source that fails meanwhile fails the call.
 *
 * @param weigh an item's weight
 */
export async function peekPages<T>(
  source: AsyncIterable<readonly T[]>,
  bound: number,
  weigh: (item: T) => number,
): Promise<PeekedPages<T>> {
  const iterator = source[Symbol.asyncIterator]()
  const pages: (readonly T[])[] = []
  let weight = 0
  while (weight <= bound) {
    const next = await iterator.next()
    if (next.done) return { areFew: true, pages: replay(pages, undefined) }
    pages.push(next.value)
    for (const item of next.value) {
      weight += weigh(item)
      if (weight > bound) break
    }
  }
  return { areFew: false, pages: replay(pages, iterator) }
}

async function* replay<T>(
  pages: (readonly T[])[],
  rest: AsyncIterator<readonly T[]> | undefined,
): AsyncGenerator<readonly T[]> {
  try {
    for (let page = pages.shift(); page !== undefined; page = pages.shift()) yield page
    for (let next = await rest?.next(); next !== undefined && !next.done; next = await rest?.next()) yield next.value
  } finally {
    await rest?.return?.()
  }
}

/** Characters or bytes of text that cost as much as another value. */
const TEXT_STEP = 64

/** How many values a row holds, at any depth; a long text counts as several. */
export function weighRow(value: Value | Row): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return 1 + Math.floor(value.length / TEXT_STEP)
  if (Array.isArray(value)) return (value as readonly Value[]).reduce<number>((sum, item) => sum + weighRow(item), 1)
  if (value !== null && typeof value === 'object' && 'key' in value) {
    const entry = value as unknown as { readonly key: Value; readonly value: Value }
    return weighRow(entry.key) + weighRow(entry.value)
  }
  return 1
}
