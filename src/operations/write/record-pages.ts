/** Records, however they are handed over, as pages of some thousand. */
import { deltaError } from '../../errors/index.ts'
import type { RecordInput } from '../command.ts'

export const PAGE_RECORDS = 4096

/**
 * An array is cut into pages; what comes one by one is collected into them; arrays among the items are batches.
 *
 * @throws DeltaError `LAKE_USAGE` when the input cannot be gone through
 */
export async function* recordPages(input: RecordInput): AsyncGenerator<readonly unknown[], void, undefined> {
  if (!isIterable(input)) {
    throw deltaError('LAKE_USAGE', {
      problem: `rows are ${input === null ? 'null' : `a ${typeof input}`}`,
      advice: 'give an array of objects, or something to iterate over that yields them',
    })
  }
  let page: unknown[] = []
  for await (const item of input) {
    if (Array.isArray(item)) page.push(...item)
    else page.push(item)
    while (page.length >= PAGE_RECORDS) {
      yield page.slice(0, PAGE_RECORDS)
      page = page.slice(PAGE_RECORDS)
    }
  }
  if (page.length > 0) yield page
}

function isIterable(input: unknown): input is RecordInput {
  return typeof input === 'object' && input !== null && (Symbol.iterator in input || Symbol.asyncIterator in input)
}

/**
 * The first pages, up to a number of records, and everything from the first record on.
 *
 * @param limit records to look at; the sample holds a page more at most
 */
export async function peekPages(
  pages: AsyncGenerator<readonly unknown[], void, undefined>,
  limit: number,
): Promise<{ sample: readonly (readonly unknown[])[]; all: AsyncIterable<readonly unknown[]> }> {
  const sample: (readonly unknown[])[] = []
  for (let count = 0; count < limit; ) {
    const next = await pages.next()
    if (next.done) break
    sample.push(next.value)
    count += next.value.length
  }
  return { sample, all: concat(sample, pages) }
}

async function* concat(
  first: readonly (readonly unknown[])[],
  rest: AsyncGenerator<readonly unknown[], void, undefined>,
): AsyncGenerator<readonly unknown[], void, undefined> {
  try {
    yield* first
    yield* rest
  } finally {
    await rest.return()
  }
}
