/** EXPLAIN: how a statement would be carried out, without carrying it out. */
import { type Expression, printExpression } from '../../expressions/index.ts'
import { field, stringType, structType } from '../../schema/index.ts'
import type { Statement, TableTarget } from '../parser/index.ts'
import { rowsResult } from '../result.ts'
import { unqualified } from './alias.ts'
import type { Execute, StatementContext } from './statement-context.ts'

const PLAN = structType([field('plan', stringType)])

/**
 * One text: of a query the engine's plan; of other statements the table, its version, and how many of its files the
 * condition leaves to be read.
 *
 * @throws DeltaError what the statement itself throws before it reads a row
 */
export const executeExplain: Execute<'explain'> = async ({ statement }, context) => {
  return rowsResult(PLAN, [[(await planLines(statement, context)).join('\n')]])
}

async function planLines(statement: Statement, context: StatementContext): Promise<readonly string[]> {
  switch (statement.kind) {
    case 'query':
      return [await context.explain(statement.query.text)]
    case 'delete':
    case 'update': {
      const { kind, table, where } = statement
      const condition = where && unqualified(context.atTime(where), statement)
      return [kind.toUpperCase(), ...(await tableLines(table, condition, context))]
    }
    case 'merge': {
      const table = await tableLines(statement.table, undefined, context)
      return [
        'MERGE',
        ...table,
        `  on ${printExpression(statement.on)}`,
        ...(await sourceLines(statement.source, context)),
      ]
    }
    case 'insert': {
      const words = statement.overwrite ? 'INSERT OVERWRITE' : 'INSERT INTO'
      return [words, tableLine(statement.table), ...(await sourceLines(statement.source, context))]
    }
    case 'create table': {
      const source = statement.as === undefined ? [] : [await context.explain(statement.as.text)]
      return ['CREATE TABLE', tableLine(statement.table), ...source]
    }
    default:
      return [statement.kind.toUpperCase()]
  }
}

type Source = Extract<Statement, { kind: 'merge' | 'insert' }>['source']

async function sourceLines(source: Source, context: StatementContext): Promise<readonly string[]> {
  if ('text' in source) return [await context.explain(source.text)]
  return 'rows' in source ? [`  ${source.rows.length} rows of VALUES`] : [`  source ${nameOf(source)}`]
}

async function tableLines(
  target: TableTarget,
  where: Expression | undefined,
  context: StatementContext,
): Promise<readonly string[]> {
  const table = { location: context.locate(target) }
  const command = { kind: 'files', table, explain: true, ...(where && { where }) } as const
  const listed = await context.backend.execute(command, context.options)
  let [numRead, numSkipped, bytes] = [0, 0, 0]
  for await (const { file, read } of listed.files()) {
    if (read) {
      numRead++
      bytes += file.size
    } else numSkipped++
  }
  return [
    `  table ${table.location}, version ${listed.version}`,
    ...(where === undefined ? [] : [`  where ${printExpression(where)}`]),
    `  files to read ${numRead} (${bytes} bytes), skipped ${numSkipped}`,
  ]
}

function tableLine(target: TableTarget): string {
  return `  table ${nameOf(target)}`
}

function nameOf(target: TableTarget): string {
  return 'parts' in target ? target.parts.join('.') : printExpression(target.computed)
}
