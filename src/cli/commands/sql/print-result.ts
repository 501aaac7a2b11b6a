/** Results of statements: a table for people, one JSON line a statement for machines. */

import { rowsOf } from '../../../engine/index.ts'
import type { DeltaError } from '../../../errors/index.ts'
import { deltaTypeName, rowToJson } from '../../../schema/index.ts'
import type { SqlResult } from '../../../sql/index.ts'
import type { CliContext } from '../../cli-command.ts'
import type { Output } from '../../output/output.ts'
import { asDeltaError } from '../../output/print-error.ts'
import { rowWriter } from '../../output/row-format.ts'
import { plural } from '../../output/sizes.ts'

/**
 * @param limit rows to print at most
 * @returns whether these were all, and how many in words
 */
export async function printResult(
  { schema, batches }: SqlResult,
  context: CliContext,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ readonly all: boolean; readonly text: string }> {
  if (schema.fields.length === 0) {
    for await (const _ of batches);
    if (context.output.isTerminal) context.note('Done.')
    return { all: true, text: 'Done.' }
  }
  const writer = rowWriter('table', schema, context.output)
  let count = 0
  let all = true
  for await (const batch of batches) {
    for (const row of rowsOf(batch)) {
      all = count < limit
      if (!all) break
      await writer.row(row)
      count++
    }
    if (!all) break
  }
  await writer.end()
  await context.output.flush()
  const text = `(${plural(count, 'row')})`
  if (context.output.isTerminal) context.note(text)
  return { all, text }
}

/**
 * `{"statement":1,"columns":[{"name","type"}],"rows":[…]}`, rows as NDJSON prints them.
 *
 * Nothing is printed before the first rows are there, so that a statement which fails at once is its error alone. One
 * that fails later, when rows are out already, ends its line with `"error"` beside the rows.
 *
 * @returns the error of a statement that failed behind its first rows
 */
export async function printJsonResult(
  statement: number,
  { schema, batches }: SqlResult,
  output: Output,
): Promise<DeltaError | undefined> {
  const iterator = batches[Symbol.asyncIterator]()
  const columns = schema.fields.map(({ name, type }) => ({ name, type: deltaTypeName(type) }))
  let next = await iterator.next()
  let separator = ''
  await output.write(`{"statement":${statement},"columns":${JSON.stringify(columns)},"rows":[`)
  try {
    while (next.done !== true) {
      for (const row of rowsOf(next.value)) {
        await output.write(separator + rowToJson(row, schema))
        separator = ','
      }
      next = await iterator.next()
    }
  } catch (thrown) {
    const error = asDeltaError(thrown)
    await output.line(`],"error":${JSON.stringify(shortError(error))}}`)
    return error
  } finally {
    await iterator.return?.()
  }
  await output.line(']}')
  return undefined
}

export function statementErrorJson(statement: number, error: DeltaError): string {
  return JSON.stringify({ statement, error: shortError(error) })
}

function shortError({ code, sqlState, message }: DeltaError) {
  return { code, sqlState, message }
}
