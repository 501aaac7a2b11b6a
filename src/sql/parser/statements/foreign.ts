/**
 * Statements of Spark's that are not ours. They are read as far as is needed to tell them from a mistake, so that their
 * refusal names the statement instead of a place in its text.
 */

import type { Statement } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'

/** The first words of a statement, and the shape of all of it: words in upper case, `N` a name, `S` a text, `…` the rest. */
const SHAPES: readonly (readonly [string, RegExp])[] = [
  ['CREATE SCHEMA', /^CREATE (?:SCHEMA|DATABASE|NAMESPACE) .+/],
  ['CREATE VIEW', /^CREATE (?:OR REPLACE )?(?:(?:GLOBAL )?TEMP(?:ORARY)? )?VIEW .+ (?:AS|USING) .+/],
  ['CREATE TEMPORARY TABLE', /^CREATE TEMP(?:ORARY)? TABLE .+ USING .+/],
  ['CREATE FUNCTION', /^CREATE (?:OR REPLACE )?(?:TEMP(?:ORARY)? )?FUNCTION .+/],
  ['ALTER VIEW', /^ALTER VIEW .+/],
  ['ALTER SCHEMA', /^ALTER (?:SCHEMA|DATABASE|NAMESPACE) .+/],
  ['DROP', /^DROP (?:VIEW|SCHEMA|DATABASE|NAMESPACE|(?:TEMPORARY )?FUNCTION) .+/],
  ['ANALYZE TABLE', /^ANALYZE TABLES? .+ COMPUTE STATISTICS.*/],
  ['MSCK REPAIR TABLE', /^MSCK REPAIR TABLE [\w.`]+(?: (?:ADD|DROP|SYNC) PARTITIONS)?$/],
  ['REFRESH', /^REFRESH (?:TABLE |FUNCTION )?\S+/],
  ['CACHE TABLE', /^(?:CACHE|UNCACHE) (?:LAZY )?TABLE .+/],
  ['CLEAR CACHE', /^CLEAR CACHE$/],
  ['DECLARE', /^DECLARE (?:OR REPLACE )?(?:VARIABLE )?\w+ .+/],
  ['USE', /^USE (?:(?:SCHEMA|DATABASE|NAMESPACE) )?[\w`]+(?: \. [\w`]+)*$/],
  ['BEGIN … END', /^BEGIN .+ END$/],
  ['EXECUTE IMMEDIATE', /^EXECUTE IMMEDIATE .+/],
  ['CALL', /^CALL .+/],
]

/** First words after which a statement of Spark's may go on. */
export const FOREIGN_BEGINNINGS: readonly string[] = [
  ...['CREATE VIEW', 'CREATE SCHEMA', 'ALTER VIEW', 'ALTER SCHEMA', 'DROP VIEW', 'DROP SCHEMA'],
  ...['ANALYZE TABLE', 'MSCK REPAIR TABLE', 'USE SCHEMA', 'CACHE TABLE', 'REFRESH TABLE'],
]

/** The refusal-to-be of a statement that has the shape of one of Spark's; undefined (nothing taken) else. */
export function readForeign(reader: StatementReader): Statement | undefined {
  const { tokens } = reader
  const place = tokens.place
  const words: string[] = []
  for (; !tokens.atEnd(); tokens.next()) words.push(tokens.peek().key || tokens.peek().text)
  while (words.at(-1) === ';') words.pop()
  const found = SHAPES.find(([, shape]) => shape.test(words.join(' ')))
  if (found !== undefined) return { kind: 'foreign', words: found[0] }
  tokens.moveTo(place)
  return undefined
}

/** Takes the rest of a statement of Spark's. */
export function skipForeign({ tokens }: StatementReader, words: string): Statement {
  tokens.next()
  while (!tokens.atEnd() && !tokens.atOperator(';')) tokens.next()
  return { kind: 'foreign', words }
}
