/**
 * Statements recorded from the reference's parser: ours accepts what it accepts, reads the same in it, and refuses the rest
 * at the same line, at the mistake or nearer to it. Differences on purpose are listed with their reasons.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isDeltaError } from '../../../src/errors/index.ts'
import { type Expression, ExpressionParser, printExpression } from '../../../src/expressions/index.ts'
import { parseStatement, type Statement } from '../../../src/sql/parser/index.ts'
import { sharedMissing, sharedPath } from '../../support/shared.ts'
import { ANY, sparkForm } from './spark-form.ts'

interface Recorded {
  readonly id: string
  readonly kind: string
  readonly sql: string
  readonly accepted: boolean
  readonly plan?: string
  readonly summary?: Readonly<Record<string, unknown>>
  readonly error?: { readonly class: string; readonly line: number | null; readonly position: number | null }
  readonly later?: unknown
  readonly query?: boolean
  readonly ours?: 'accept' | 'refuse' | 'differs'
}

/** Read or refused otherwise than recorded, on purpose. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  'insert-043': 'the query is read by the engine, which refuses it when the statement runs',
  'multiline-022': 'the query is read by the engine, which refuses it when the statement runs',
  'multiline-024': 'the query is read by the engine, which refuses it when the statement runs',
  'optimize-012': 'a word behind a condition is refused, where the reference takes it for a name of the condition',
  'comments-015': 'comments nest in every statement',
  'characters-006': 'a no-break space is a blank in every statement',
}

/** Read as recorded, with parts that are kept otherwise. */
const UNCOMPARED: Readonly<Record<string, string>> = {
  'set-004': 'quotes around a value are no part of it',
  'set-008': 'LOCAL is worked out when the statement runs',
  'delete-009': 'the patterns of LIKE ANY are not recorded',
  'create-table-047': 'a primary key changes no column while it is read',
  'types-007': 'we print more names in backticks',
  'update-017': 'the named queries before UPDATE have no node of their own',
  'delete-020': 'the named queries before DELETE have no node of their own',
}

/** Errors at another place than recorded, which is no worse. */
const PLACES: Readonly<Record<string, string>> = {
  'comments-003': 'ours names where the comment begins',
  'script-010': 'one statement of several lines: ours points at the line that does not belong to it',
  'multiline-004': 'ours points at the bracket that begins what does not belong there, a line before',
  'characters-013': 'an empty text has no place',
  'characters-014': 'an empty text has no place',
}

const missing = sharedMissing('sql')

describe.skipIf(missing !== undefined)(
  `recorded statements${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    const recorded: Recorded[] =
      missing === undefined
        ? readFileSync(sharedPath('sql', 'statements.jsonl'), 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Recorded)
        : []
    const judged = recorded
      .filter(({ id, query }) => !query && !(id in DIFFERENCES))
      .filter(({ ours }) => ours !== 'differs')

    test('there are statements of every kind', () => expect(recorded.length).toBeGreaterThan(900))

    test.each(judged.filter(isAccepted).map((one) => [one.id, one] as const))(
      '%s is read',
      (id, { sql, plan, summary }) => {
        const form = sparkForm(parseStatement(sql))
        if (id in UNCOMPARED || form === undefined || plan === undefined || plan === 'PlanWithUnresolvedIdentifier')
          return
        expect(plan).toMatch(new RegExp(`^(?:${form.plan})$`))
        expect(comparable(summary ?? {})).toMatchObject(comparable(form.parts))
      },
    )

    test.each(judged.filter((one) => !isAccepted(one)).map((one) => [one.id, one] as const))(
      '%s is refused',
      (id, { sql, error }) => {
        const refusal = refusalOf(sql)
        if (error?.line == null || id in PLACES) return
        expect(refusal.line).toBe(error.line)
      },
    )
  },
)

function isAccepted({ accepted, ours, later }: Recorded): boolean {
  if (ours === 'accept') return true
  if (ours === 'refuse') return false
  return accepted && !(Array.isArray(later) ? later : [later]).some(isRefusal)
}

function isRefusal(later: unknown): boolean {
  return typeof later === 'object' && later !== null && 'accepted' in later && later.accepted === false
}

function refusalOf(sql: string): { readonly line?: unknown; readonly column?: unknown } {
  let read: Statement
  try {
    read = parseStatement(sql)
  } catch (error) {
    if (!isDeltaError(error)) throw error
    return error.details
  }
  throw new Error(`read as ${read.kind}`)
}

/** Members whose text is an expression: compared as they read, not as they are spelt. */
const EXPRESSIONS = new Set(['where', 'on', 'if', 'deleteExpr', 'rows', 'set'])

/** Without members that are null or empty lists, which the recording leaves out; expressions in one spelling. */
function comparable(value: unknown, isExpression = false): object {
  if (value === ANY) return expect.anything()
  if (typeof value === 'string' && isExpression) return spelt(value) as unknown as object
  if (Array.isArray(value)) return value.map((item) => comparable(item, isExpression))
  if (typeof value !== 'object' || value === null) return value as object
  const kept = Object.entries(value).filter(([, member]) => {
    return member !== null && member !== undefined && !(Array.isArray(member) && member.length === 0)
  })
  return Object.fromEntries(
    kept.map(([key, member]) => [key, comparable(member, isExpression || EXPRESSIONS.has(key))]),
  )
}

/** One spelling of an expression, where the text is one that we read. */
function spelt(text: string): string {
  try {
    return spellingOf(new ExpressionParser(text, { keepsForeign: true }).readExpression())
  } catch (error) {
    if (isDeltaError(error)) return text
    throw error
  }
}

/** AND and OR as flat lists, `a != b` as `NOT (a = b)`, BETWEEN written out. */
function spellingOf(node: Expression): string {
  if (node.kind !== 'call') return printExpression(node).toLowerCase()
  const { name, args } = node
  const [first, low, high] = args
  if (name === 'between')
    return `and(>=(${spellingOf(first!)},${spellingOf(low!)}),<=(${spellingOf(first!)},${spellingOf(high!)}))`
  if (name === '!=') return `not(=(${args.map(spellingOf).join()}))`
  const flat = name === 'and' || name === 'or' ? args.flatMap((arg) => chained(arg, name)) : args
  return `${name}(${flat.map(spellingOf).join()})`
}

function chained(node: Expression, name: string): readonly Expression[] {
  return node.kind === 'call' && node.name === name ? node.args.flatMap((arg) => chained(arg, name)) : [node]
}
