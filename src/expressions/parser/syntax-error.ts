/** Where and why a text is not an expression: line, column, a caret under the place, and what was expected. */
import { type DeltaError, deltaError, type ErrorCode, type ErrorDetails } from '../../errors/index.ts'

const MAX_EXCERPT = 120

/** Line from 1, column from 1 in code points, as editors show them. Lines end at `\n`. */
export function positionOf(text: string, offset: number): { line: number; column: number; sourceLine: string } {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  const lineEnd = text.indexOf('\n', offset)
  return {
    line: before.split('\n').length,
    column: Array.from(text.slice(lineStart, offset)).length + 1,
    sourceLine: text.slice(lineStart, lineEnd === -1 ? text.length : lineEnd),
  }
}

/** `PARSE_SYNTAX_ERROR` at an offset. */
export function syntaxError(text: string, offset: number, expected: string): DeltaError {
  const { line, column, sourceLine } = positionOf(text, offset)
  const shown = Math.max(0, column - 1 - MAX_EXCERPT / 2)
  const excerpt = Array.from(sourceLine)
    .slice(shown, shown + MAX_EXCERPT)
    .join('')
  return deltaError('PARSE_SYNTAX_ERROR', {
    near: nearText(text, offset),
    line,
    column,
    expected,
    sourceLine: excerpt,
    caret: `${' '.repeat(column - 1 - shown)}^`,
  })
}

/** Another error of the catalogue, with line and column among its details. */
export function errorAt(text: string, offset: number, code: ErrorCode, details: ErrorDetails): DeltaError {
  const { line, column } = positionOf(text, offset)
  return deltaError(code, { ...details, line, column })
}

function nearText(text: string, offset: number): string {
  if (offset >= text.length) return 'the end'
  const word = /^(?:\w+|[^\w\s])/u.exec(text.slice(offset, offset + 40))
  return `'${word?.[0] ?? text.slice(offset, offset + 1)}'`
}
