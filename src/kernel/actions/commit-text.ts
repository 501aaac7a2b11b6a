/**
 * The text of a commit: one JSON object a line.
 *
 * Blank lines, a missing last newline and a byte order mark are fine; text behind a complete object occurs in the wild
 * and is passed over with a warning. A line whose object is incomplete, or a file without any action, is an error: it is
 * a torn write and never means "no actions".
 */
import { causeText, deltaError, isDeltaError } from '../../errors/index.ts'
import { decodeUtf8, type JsonValue, parseJson, parseJsonPrefix } from '../../support/index.ts'
import type { Action } from './actions.ts'
import { parseAction } from './parse.ts'

/** How the lines of a commit are told apart before any is parsed. */
const FILE_ACTION = /^\{\s*"(?:add|remove|cdc)"\s*:\s*\{/

export interface CommitLines {
  /** the lines that hold neither add, remove nor cdc, by their number from 1 */
  readonly small: readonly CommitLine[]
  readonly files: readonly CommitLine[]
}

export interface CommitLine {
  readonly number: number
  readonly text: string
}

/**
 * Splits a commit into its lines, those of file actions apart from the small ones.
 *
 * @throws DeltaError `LAKE_COMMIT_MALFORMED` when no line holds anything
 */
export function splitCommit(bytes: Uint8Array): CommitLines {
  const text = decodeUtf8(bytes)
  const small: CommitLine[] = []
  const files: CommitLine[] = []
  const lines = (text.startsWith('\ufeff') ? text.slice(1) : text).split('\n')
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!.trim()
    if (line === '') continue
    const target = FILE_ACTION.test(line) ? files : small
    target.push({ number: i + 1, text: line })
  }
  if (small.length + files.length === 0) {
    const reason = bytes.length === 0 ? 'the file is empty, a write was cut off' : 'the file holds no action'
    throw deltaError('LAKE_COMMIT_MALFORMED', { reason })
  }
  return { small, files }
}

/**
 * Reads lines as actions.
 *
 * @param onStray called with the number of a line that has text behind its object
 * @throws DeltaError `LAKE_COMMIT_MALFORMED` naming the line
 */
export function parseLines(lines: readonly CommitLine[], onStray?: (line: number) => void): Action[] {
  return lines.map((line) => {
    try {
      return parseAction(parseLine(line, onStray))
    } catch (cause) {
      throw deltaError('LAKE_COMMIT_MALFORMED', { reason: `line ${line.number}: ${causeText(cause)}` }, { cause })
    }
  })
}

/**
 * Reads a whole commit.
 *
 * @throws DeltaError `LAKE_COMMIT_MALFORMED`
 */
export function parseCommitText(bytes: Uint8Array, onStray?: (line: number) => void): Action[] {
  const { small, files } = splitCommit(bytes)
  const lines = [...small, ...files].sort((a, b) => a.number - b.number)
  return parseLines(lines, onStray)
}

/**
 * Refuses a commit that says a thing twice where only one can hold: order within a commit means nothing.
 *
 * @throws DeltaError `LAKE_COMMIT_MALFORMED`
 */
export function validateCommit(actions: readonly Action[]): void {
  for (const kind of ['protocol', 'metaData'] as const) {
    const count = actions.filter((action) => kind in action).length
    if (count > 1) throw deltaError('LAKE_COMMIT_MALFORMED', { reason: `it holds ${count} ${kind} actions` })
  }
}

/** What is wrong with a commit, as a clause behind the name of its file. */
export function faultOfCommit(cause: unknown): string {
  return isDeltaError(cause, 'LAKE_COMMIT_MALFORMED') ? String(cause.details.reason) : causeText(cause)
}

function parseLine(line: CommitLine, onStray: ((line: number) => void) | undefined): JsonValue {
  try {
    return parseJson(line.text)
  } catch (error) {
    const { value } = parseJsonPrefix(line.text)
    if (typeof value !== 'object') throw error
    onStray?.(line.number)
    return value
  }
}
