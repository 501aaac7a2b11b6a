/** Carries one call out on a table, by the method or the statement that the call spells. */
import type { Call, Clause, RowInput } from '../calls/call.ts'
import { printSql } from '../calls/print-sql.ts'
import { type DeltaTable, type DeltaTables, type SqlResult, type SqlSession, splitStatements } from '../library.ts'
import { TODAY } from './starter.ts'

export interface Hands {
  readonly table: DeltaTable
  readonly tables: DeltaTables
  readonly session: SqlSession
  /** types of the table's columns */
  readonly types: ReadonlyMap<string, string>
}

/** @returns lines that say what happened, and the rows of a statement that gives some */
export async function carryOut(
  call: Call,
  hands: Hands,
): Promise<{ readonly notes: readonly string[]; readonly answer: SqlResult | undefined }> {
  const { table } = hands
  switch (call.op) {
    case 'append':
      return written(await table.append(rowObjects(call.rows), { mergeSchema: call.mergeSchema }))
    case 'overwrite': {
      const { overwriteSchema, replaceWhere } = call
      const options = { overwriteSchema, ...(replaceWhere !== '' && { replaceWhere }) }
      return written(await table.overwrite(rowObjects(call.rows), options))
    }
    case 'update': {
      const where = call.where === '' ? {} : { where: call.where }
      return told(countText(await table.update({ ...where, set: new Map(call.set) }), 'updated'))
    }
    case 'delete':
      return told(countText(call.where === '' ? await table.delete() : await table.delete(call.where), 'deleted'))
    case 'merge':
      await writeSource(call.source, hands)
      return told(await merge(call, hands))
    case 'checkpoint':
      return told(`a checkpoint of version ${(await table.checkpoint()).version} was written`)
    case 'wait':
      return told(`${call.hours} hours passed`)
    default:
      return await runScript(printSql(call, hands.types), hands.session)
  }
}

function told(note: string) {
  return { notes: [note], answer: undefined }
}

function written({ numOutputRows, numFiles, skipped }: Awaited<ReturnType<DeltaTable['append']>>) {
  if (skipped !== undefined) return told(`nothing was written: ${skipped}`)
  return told(`${count(numOutputRows, 'row')} written in ${count(numFiles, 'file')}`)
}

function countText({ numAffectedRows, version }: Awaited<ReturnType<DeltaTable['delete']>>, verb: string): string {
  return version === null ? `no row was ${verb}: no commit` : `${count(numAffectedRows, 'row')} ${verb}`
}

function count(number: number, one: string): string {
  return `${number} ${number === 1 ? one : `${one}s`}`
}

export function rowObjects(rows: readonly RowInput[]): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(row))
}

async function merge(call: Extract<Call, { op: 'merge' }>, { table, tables }: Hands): Promise<string> {
  const source = (await tables.forPath(TODAY)).as('s')
  const begun = table.as('t').merge(source, call.on, { sourceAlias: 's' })
  const builder = call.clauses.reduce(withClause, call.schemaEvolution ? begun.withSchemaEvolution() : begun)
  const result = await builder.execute()
  if (result.version === null) return 'no clause fired: no commit'
  return `${count(result.numUpdatedRows, 'row')} updated, ${result.numDeletedRows} deleted, ${result.numInsertedRows} inserted`
}

type Builder = ReturnType<DeltaTable['merge']>

function withClause(builder: Builder, { when, action, set, condition }: Clause): Builder {
  const test = condition === '' ? {} : { condition }
  const only = condition === '' ? undefined : condition
  const values = set === '*' ? new Map<string, string>() : new Map(set)
  if (when === 'matched') {
    if (action === 'delete') return builder.whenMatchedDelete(only)
    return set === '*' ? builder.whenMatchedUpdateAll(only) : builder.whenMatchedUpdate({ ...test, set: values })
  }
  if (when === 'notMatched') {
    return set === '*' ? builder.whenNotMatchedInsertAll(only) : builder.whenNotMatchedInsert({ ...test, values })
  }
  return action === 'delete'
    ? builder.whenNotMatchedBySourceDelete(only)
    : builder.whenNotMatchedBySourceUpdate({ ...test, set: values })
}

/** The source of a MERGE is a table of its own, so that statements can name it. */
export async function writeSource(
  rows: readonly RowInput[],
  { tables, types }: Pick<Hands, 'tables' | 'types'>,
): Promise<void> {
  const columns = new Map<string, string>()
  for (const row of rows) {
    for (const [name, value] of row) {
      const known = types.get(name)
      if (known !== undefined) columns.set(name, known)
      else if (value !== null && !columns.has(name)) columns.set(name, typeName(value))
    }
  }
  const schema = [...columns].map(([name, type]) => `\`${name.replaceAll('`', '``')}\` ${type}`).join(', ')
  await tables.write(TODAY, rowObjects(rows), { mode: 'overwrite', overwriteSchema: true, schema })
}

function typeName(value: string | number | boolean): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'BIGINT' : 'DOUBLE'
  return typeof value === 'boolean' ? 'BOOLEAN' : 'STRING'
}

async function runScript(text: string, session: SqlSession) {
  let answer: SqlResult | undefined
  const parts = splitStatements(text)
  for (const part of parts) answer = await session.run(part.text)
  return { notes: [], answer: answer !== undefined && answer.schema.fields.length > 0 ? answer : undefined }
}
