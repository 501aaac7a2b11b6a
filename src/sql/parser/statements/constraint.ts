/** `[CONSTRAINT name] CHECK (…)`, and the keys that Spark reads and Delta does not keep. */

import type { TableConstraint } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'

export function atConstraint({ tokens }: StatementReader): boolean {
  if (tokens.atWord('CONSTRAINT')) return tokens.peek(2).kind === 'word'
  if (tokens.atWord('CHECK')) return tokens.atOperator('(', 1)
  if (tokens.atWord('PRIMARY') || tokens.atWord('FOREIGN')) return tokens.atWord('KEY', 1)
  if (tokens.atWord('UNIQUE')) return true
  return tokens.atWord('REFERENCES')
}

/** Inside brackets behind a column, or by itself. */
export function readConstraint(reader: StatementReader): TableConstraint {
  const { tokens } = reader
  const { start } = tokens.peek()
  const name = tokens.takeWord('CONSTRAINT') ? { name: readName(reader) } : {}
  if (tokens.takeWord('CHECK')) {
    const check = readCheck(reader)
    readTraits(reader)
    return { kind: 'check', ...name, ...check }
  }
  readKey(reader)
  return { kind: 'key', ...name, text: reader.textFrom(start) }
}

function readName({ tokens }: StatementReader): string {
  if (tokens.atWord('CHECK') && tokens.atOperator('(', 1)) {
    tokens.next()
    throw tokens.unexpected('a name for the constraint, before CHECK')
  }
  return tokens.expectName('the name of a constraint')
}

function readCheck(reader: StatementReader) {
  reader.tokens.expectOperator('(')
  const check = reader.keptExpression('CHECK')
  reader.tokens.expectOperator(')')
  return check
}

function readKey(reader: StatementReader): void {
  const { tokens } = reader
  const foreign = tokens.takeWords('FOREIGN', 'KEY')
  const keyed = foreign || tokens.takeWords('PRIMARY', 'KEY') || tokens.takeWord('UNIQUE')
  if (keyed && (foreign || tokens.atOperator('('))) reader.columns()
  if (foreign || (!keyed && tokens.atWord('REFERENCES'))) {
    tokens.expectWord('REFERENCES')
    reader.parts('the name of a table')
    reader.columns()
  } else if (!keyed) throw tokens.unexpected('CHECK, PRIMARY KEY, UNIQUE or FOREIGN KEY')
  readTraits(reader)
}

/** `NOT ENFORCED RELY` and their kin, which change nothing here. */
function readTraits({ tokens }: StatementReader): void {
  for (;;) {
    const taken =
      tokens.takeWords('NOT', 'ENFORCED') ||
      tokens.takeWord('ENFORCED') ||
      tokens.takeWord('RELY') ||
      tokens.takeWord('NORELY')
    if (!taken) return
  }
}
