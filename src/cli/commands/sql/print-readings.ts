/** `sql --parse-only`: what each statement is, or why it is none, one JSON line each. */
import type { DeltaError } from '../../../errors/index.ts'
import { positionOf } from '../../../expressions/index.ts'
import type { ScriptPart, SqlSession } from '../../../sql/index.ts'
import type { CliContext } from '../../cli-command.ts'
import { asDeltaError } from '../../output/print-error.ts'

interface Script {
  readonly script: string
  readonly parts: readonly ScriptPart[]
}

/**
 * `{"statement","accepted":true,"kind"}` or `{"statement","accepted":false,"error":{…,"line","position"}}`: lines from 1,
 * positions in a line from 0, both in the whole script. A text without a statement is refused as one.
 */
export async function printReadings(
  session: SqlSession,
  { parts, script }: Script,
  context: CliContext,
): Promise<number> {
  let refused = 0
  const all = parts.length > 0 ? parts : [{ text: script, start: 0 }]
  for (const [index, part] of all.entries()) {
    try {
      const { kind } = await session.check(part.text)
      await context.output.line(JSON.stringify({ statement: index + 1, accepted: true, kind }))
    } catch (thrown) {
      refused++
      const error = errorOf(asDeltaError(thrown), part, script)
      await context.output.line(JSON.stringify({ statement: index + 1, accepted: false, error }))
    }
  }
  return refused === 0 ? 0 : 1
}

function errorOf({ code, sqlState, message, details }: DeltaError, { start }: ScriptPart, script: string) {
  const { line, column } = details
  const place = typeof line === 'number' && typeof column === 'number' ? placeIn(script, start, line, column) : {}
  return { code, sqlState, message, ...place }
}

function placeIn(script: string, start: number, line: number, column: number) {
  const begin = positionOf(script, start)
  return { line: begin.line + line - 1, position: (line === 1 ? begin.column - 1 : 0) + column - 1 }
}
