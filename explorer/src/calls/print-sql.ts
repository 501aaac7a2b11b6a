/** A call as a statement. */
import type { Call, Clause, ColumnTypes, RowInput, Value } from './call.ts'

/** @param types of the table's columns; what they do not name is spelled by the value alone */
export function printSql(call: Call, types: ColumnTypes): string {
  switch (call.op) {
    case 'append':
      return appendText(call, types)
    case 'overwrite':
      return overwriteText(call, types)
    case 'update':
      return `UPDATE orders\nSET ${call.set.map(([column, sql]) => `${columnText(column)} = ${sql}`).join(', ')}${whereText(call.where)}`
    case 'delete':
      return `DELETE FROM orders${whereText(call.where)}`
    case 'merge':
      return mergeText(call)
    case 'restore':
      return `RESTORE TABLE orders TO VERSION AS OF ${call.version}`
    case 'optimize':
      return `OPTIMIZE orders${whereText(call.where)}${call.zorderBy.length === 0 ? '' : `\nZORDER BY (${call.zorderBy.map(columnText).join(', ')})`}`
    case 'vacuum':
      return `VACUUM orders RETAIN ${call.hours} HOURS${call.dryRun ? ' DRY RUN' : ''}`
    case 'setProperty':
      return `ALTER TABLE orders SET TBLPROPERTIES (${textLiteral(call.key)} = ${textLiteral(call.value)})`
    case 'dropFeature':
      return `ALTER TABLE orders DROP FEATURE ${columnText(call.feature)}${call.truncateHistory ? ' TRUNCATE HISTORY' : ''}`
    case 'checkpoint':
      return 'CHECKPOINT TABLE orders'
    case 'sql':
      return call.text
    case 'wait':
      return `-- ${call.hours} hours pass`
  }
}

function appendText({ rows, mergeSchema }: Extract<Call, { op: 'append' }>, types: ColumnTypes): string {
  const columns = columnsOf(rows)
  const fresh = columns.filter((name) => !types.has(name))
  const insert = `INSERT INTO orders (${columns.map(columnText).join(', ')})\n${valuesText(rows, columns, types)}`
  if (!mergeSchema || fresh.length === 0) return insert
  const added = fresh.map((name) => `${columnText(name)} ${guessType(rows, name)}`)
  return `ALTER TABLE orders ADD COLUMNS (${added.join(', ')});\n${insert}`
}

function overwriteText(call: Extract<Call, { op: 'overwrite' }>, types: ColumnTypes): string {
  const columns = columnsOf(call.rows)
  const values = valuesText(call.rows, columns, types)
  if (call.replaceWhere !== '') return `INSERT INTO orders REPLACE WHERE ${call.replaceWhere}\n${values}`
  if (call.rows.length === 0) return 'TRUNCATE TABLE orders'
  return `INSERT OVERWRITE orders (${columns.map(columnText).join(', ')})\n${values}`
}

function mergeText({ on, clauses, schemaEvolution }: Extract<Call, { op: 'merge' }>): string {
  const lines = [
    `MERGE ${schemaEvolution ? 'WITH SCHEMA EVOLUTION ' : ''}INTO orders AS t`,
    'USING today AS s',
    `ON ${on}`,
    ...clauses.map(clauseText),
  ]
  return lines.join('\n')
}

const WHEN = { matched: 'MATCHED', notMatched: 'NOT MATCHED', notMatchedBySource: 'NOT MATCHED BY SOURCE' }

function clauseText({ when, action, set, condition }: Clause): string {
  const head = `WHEN ${WHEN[when]}${condition === '' ? '' : ` AND ${condition}`} THEN`
  if (action === 'delete') return `${head} DELETE`
  if (set === '*') return `${head} ${action === 'update' ? 'UPDATE SET *' : 'INSERT *'}`
  if (action === 'update') {
    return `${head} UPDATE SET ${set.map(([column, sql]) => `${columnText(column)} = ${sql}`).join(', ')}`
  }
  const columns = set.map(([column]) => columnText(column)).join(', ')
  return `${head} INSERT (${columns}) VALUES (${set.map(([, sql]) => sql).join(', ')})`
}

function whereText(where: string): string {
  return where === '' ? '' : `\nWHERE ${where}`
}

/** Every name of the rows, in the order they come up. */
export function columnsOf(rows: readonly RowInput[]): string[] {
  return [...new Set(rows.flatMap((row) => row.map(([name]) => name)))]
}

function valuesText(rows: readonly RowInput[], columns: readonly string[], types: ColumnTypes): string {
  const texts = rows.map((row) => {
    const values = new Map(row)
    return `  (${columns.map((name) => valueText(values.get(name) ?? null, types.get(name))).join(', ')})`
  })
  return `VALUES\n${texts.join(',\n')}`
}

function valueText(value: Value, type: string | undefined): string {
  if (value === null) return 'NULL'
  if (typeof value !== 'string') return String(value)
  const kind = type?.toLowerCase() ?? 'string'
  if (/^(decimal|int|integer|bigint|long|double|float)/.test(kind) && /^-?\d+(\.\d+)?$/.test(value)) return value
  if (kind.startsWith('timestamp')) return `TIMESTAMP ${textLiteral(value.replace('T', ' ').replace('Z', ''))}`
  if (kind === 'date') return `DATE ${textLiteral(value)}`
  return textLiteral(value)
}

function guessType(rows: readonly RowInput[], name: string): string {
  const value = rows.flatMap((row) => row.filter(([key]) => key === name)).find(([, found]) => found !== null)?.[1]
  if (typeof value === 'number') return Number.isInteger(value) ? 'BIGINT' : 'DOUBLE'
  return typeof value === 'boolean' ? 'BOOLEAN' : 'STRING'
}

function columnText(name: string): string {
  return /^[A-Za-z_][\w]*(\.[A-Za-z_]\w*)*$/.test(name) ? name : `\`${name.replaceAll('`', '``')}\``
}

function textLiteral(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
