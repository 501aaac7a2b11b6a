/** A call as a program writes it. */
import type { Call, Clause, RowInput, Value } from './call.ts'

const NARROW = 76

export function printTypeScript(call: Call): string {
  switch (call.op) {
    case 'append':
      return `await orders.append(${rowsText(call.rows)}${call.mergeSchema ? ', { mergeSchema: true }' : ''})`
    case 'overwrite':
      return `await orders.overwrite(${rowsText(call.rows)}${overwriteOptions(call)})`
    case 'update':
      return `await orders.update({\n${call.where === '' ? '' : `  where: ${quote(call.where)},\n`}  set: ${pairsText(call.set)},\n})`
    case 'delete':
      return call.where === '' ? 'await orders.delete()' : `await orders.delete(${quote(call.where)})`
    case 'merge':
      return mergeText(call)
    case 'restore':
      return `await orders.restoreToVersion(${call.version})`
    case 'optimize':
      return optimizeText(call)
    case 'vacuum':
      return `await orders.vacuum({ retentionHours: ${call.hours}${call.dryRun ? ', dryRun: true' : ''} })`
    case 'setProperty':
      return `await orders.setProperties({ ${quote(call.key)}: ${quote(call.value)} })`
    case 'dropFeature':
      return `await orders.dropFeatureSupport(${quote(call.feature)}${call.truncateHistory ? ', { truncateHistory: true }' : ''})`
    case 'checkpoint':
      return 'await orders.checkpoint()'
    case 'sql':
      return `await lake.sql(${quote(call.text)})`
    case 'wait':
      return `await hoursPass(${call.hours})`
  }
}

function overwriteOptions({ overwriteSchema, replaceWhere }: Extract<Call, { op: 'overwrite' }>): string {
  const options = [
    ...(overwriteSchema ? ['overwriteSchema: true'] : []),
    ...(replaceWhere === '' ? [] : [`replaceWhere: ${quote(replaceWhere)}`]),
  ]
  return options.length === 0 ? '' : `, { ${options.join(', ')} }`
}

function optimizeText({ where, zorderBy }: Extract<Call, { op: 'optimize' }>): string {
  const filtered = where === '' ? 'orders.optimize()' : `orders.optimize().where(${quote(where)})`
  return zorderBy.length === 0
    ? `await ${filtered}.executeCompaction()`
    : `await ${filtered}.executeZOrderBy(${zorderBy.map(quote).join(', ')})`
}

function mergeText({ source, on, clauses, schemaEvolution }: Extract<Call, { op: 'merge' }>): string {
  const lines = [
    `const today = ${rowsText(source)}`,
    '',
    `await orders.as('t')`,
    `  .merge(today, ${quote(on)}, { sourceAlias: 's' })`,
    ...(schemaEvolution ? ['  .withSchemaEvolution()'] : []),
    ...clauses.map((clause) => `  ${clauseText(clause)}`),
    '  .execute()',
  ]
  return lines.join('\n')
}

const WHEN = { matched: 'whenMatched', notMatched: 'whenNotMatched', notMatchedBySource: 'whenNotMatchedBySource' }

function clauseText({ when, action, set, condition }: Clause): string {
  const test = condition === '' ? '' : quote(condition)
  if (action === 'delete') return `.${WHEN[when]}Delete(${test})`
  const verb = action === 'update' ? 'Update' : 'Insert'
  if (set === '*') return `.${WHEN[when]}${verb}All(${test})`
  const head = condition === '' ? '' : `condition: ${test}, `
  return `.${WHEN[when]}${verb}({ ${head}${action === 'update' ? 'set' : 'values'}: ${pairsText(set)} })`
}

function pairsText(pairs: readonly (readonly [string, string])[]): string {
  return `{ ${pairs.map(([name, sql]) => `${nameText(name)}: ${quote(sql)}`).join(', ')} }`
}

function rowsText(rows: readonly RowInput[]): string {
  if (rows.length === 0) return '[]'
  const texts = rows.map(
    (row) => `{ ${row.map(([name, value]) => `${nameText(name)}: ${valueText(value)}`).join(', ')} }`,
  )
  const line = `[${texts.join(', ')}]`
  return line.length <= NARROW - 24 ? line : `[\n${texts.map((text) => `  ${text},`).join('\n')}\n]`
}

function nameText(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}

function valueText(value: Value): string {
  return typeof value === 'string' ? quote(value) : String(value)
}

/** Single quotes unless the text holds some and no double ones. */
function quote(text: string): string {
  if (text.includes("'") && !/["\\\n]/.test(text)) return `"${text}"`
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}
