/** Recorded CREATE TABLE statements with a generated column: taken and refused as by the reference. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sharedMissing, sharedPath } from '../../../test/support/shared.ts'
import { isDeltaError } from '../../errors/index.ts'
import { parseDataType, parseTableSchema } from '../../expressions/index.ts'
import { field, longType, type StructType, structType } from '../../schema/index.ts'
import { checkDeclaredColumns } from '../create/declared-columns.ts'

const COLUMNS = parseTableSchema(
  `id INT, a INT, l BIGINT, d DOUBLE, c DECIMAL(10,2), s STRING, dt DATE, ts TIMESTAMP, nt TIMESTAMP_NTZ, b BOOLEAN,
   bin BINARY, arr ARRAY<INT>, m MAP<STRING, INT>, st STRUCT<x: INT, y: STRING>`,
)

interface Recorded {
  readonly id: string
  readonly group: string
  readonly statement: string
  readonly error?: { readonly class: string | null }
}

/** What is taken or refused otherwise here, and why. */
const DIFFERS: ReadonlyMap<string, string> = new Map([
  ['delta-generated-0143', 'BETWEEN is read as two comparisons, which are taken'],
])

const missing = sharedMissing('expressions', 'delta.jsonl')
if (missing !== undefined) console.log(`skipped: ${missing}`)
const recorded =
  missing === undefined
    ? readFileSync(sharedPath('expressions', 'delta.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Recorded)
        .filter(({ group }) => group === 'delta-generated')
        .map((line) => ({ ...line, ...generatedColumn(line.statement) }))
    : []

function generatedColumn(statement: string): { type: string; expression: string } {
  const [, type, expression] = /, g (.+?) GENERATED ALWAYS AS \((.*)\)\) USING/s.exec(statement)!
  return { type: type!, expression: expression! }
}

function outcome(schema: StructType): string {
  try {
    checkDeclaredColumns({ schema, partitionBy: [], properties: new Map() })
    return 'taken'
  } catch (error) {
    if (isDeltaError(error)) return error.code
    throw error
  }
}

const generated = (type: string, expression: string) =>
  structType([...COLUMNS.fields, field('g', parseDataType(type), true, { 'delta.generationExpression': expression })])

describe.skipIf(missing !== undefined)('recorded columns', () => {
  test.each(recorded)('$id: $type by $expression', ({ id, type, expression, error }) => {
    if (type.startsWith('INTERVAL') || DIFFERS.has(id)) return
    const found = outcome(generated(type, expression))
    if (error === undefined) expect(found).toBe('taken')
    else if (error.class === null || !error.class.includes('GENERATED')) expect(found).not.toBe('taken')
    else expect(found.replace(/^DELTA_UN/, 'UN')).toBe(error.class.replace(/^DELTA_UN/, 'UN'))
  })
})

test('a generated column names no generated and no identity column', () => {
  const by = (name: string, text: string) => field(name, longType, true, { 'delta.generationExpression': text })
  const identity = field('i', longType, true, { 'delta.identity.start': 1, 'delta.identity.step': 1 })
  const code = 'UNSUPPORTED_EXPRESSION_GENERATED_COLUMN'
  expect(outcome(structType([field('a', longType), by('x', 'a + 1'), by('y', 'x + 1')]))).toBe(code)
  expect(outcome(structType([identity, by('y', 'i + 1')]))).toBe(code)
  expect(outcome(structType([by('y', 'y + 1')]))).toBe(code)
})
