/** Cuts a script into its statements. */
import { tokenize } from './tokens.ts'

/**
 * The statements of a text, without their semicolons; a semicolon in a string, a name or a comment does not count.
 * Statements with nothing but blanks and comments are left out.
 */
export function splitStatements(sql: string): readonly string[] {
  const statements: string[] = []
  let start: number | undefined
  let end = 0
  for (const token of tokenize(sql)) {
    if (token.kind === 'symbol' && token.text === ';') {
      if (start !== undefined) statements.push(sql.slice(start, end))
      start = undefined
      continue
    }
    start ??= token.start
    end = token.end
  }
  if (start !== undefined) statements.push(sql.slice(start, end))
  return statements
}
