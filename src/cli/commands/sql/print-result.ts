/** Results of statements: a table for people, one JSON line a statement for machines. */
import type { DeltaError } from '../../../errors/index.ts'
import { deltaTypeName, rowToJson } from '../../../schema/index.ts'
import type { SqlResult } from '../../../sql/index.ts'
import { rowsOf } from '../../../table/index.ts'
import type { CliContext } from '../../cli-command.ts'
import type { Output } from '../../output/output.ts'
import { rowWriter } from '../../output/row-format.ts'
import { plural } from '../../output/sizes.ts'

export async function printResult({ schema, batches }: SqlResult, context: CliContext): Promise<void> {
  const writer = rowWriter('table', schema, context.output)
  let count = 0
  for await (const batch of batches) {
    for (const row of rowsOf(batch)) await writer.row(row)
    count += batch.numRows
  }
  await writer.end()
  await context.output.flush()
  if (context.output.isTerminal) context.note(`(${plural(count, 'row')})`)
}

/** `{"statement":1,"columns":[{"name","type"}],"rows":[…]}`, rows as NDJSON prints them. */
export async function printJsonResult(
  statement: number,
  { schema, batches }: SqlResult,
  output: Output,
): Promise<void> {
  const columns = schema.fields.map(({ name, type }) => ({ name, type: deltaTypeName(type) }))
  await output.write(`{"statement":${statement},"columns":${JSON.stringify(columns)},"rows":[`)
  let separator = ''
  for await (const batch of batches) {
    for (const row of rowsOf(batch)) {
      await output.write(separator + rowToJson(row, schema))
      separator = ','
    }
  }
  await output.line(']}')
}

export function statementErrorJson(statement: number, { code, sqlState, message }: DeltaError): string {
  return JSON.stringify({ statement, error: { code, sqlState, message } })
}
