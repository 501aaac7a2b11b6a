/**
 * What a SELECT needs of its tables, so that files without wanted rows and columns nobody names need not be opened.
 *
 * DuckDB parses the statement. Taken are comparisons of a column with constants that stand between ANDs in the WHERE of
 * the SELECT that names the table: they are TRUE for no row that an outer join fills with nulls, so rows for which they
 * are not TRUE can be left out before the join. Everything else is left to DuckDB, which applies the whole WHERE anyway.
 */
import { foldCase } from '../../../schema/index.ts'
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue, parseJson } from '../../../support/index.ts'
import type { QueryNeeds } from '../../index.ts'
import type { DuckSession } from '../instance.ts'

/** See `Engine.queryNeeds`. Names that stand more than once in a statement have no predicate. */
export async function statementNeeds(session: DuckSession, sql: string): Promise<QueryNeeds> {
  const result = await session.connection.run(
    'SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true)::VARCHAR',
    [sql],
  )
  const [row] = await result.getRows()
  const tree = parseJson(row![0] as string)
  if (!isJsonObject(tree) || tree.error !== false) return { predicates: new Map(), ...syntaxErrorOf(tree) }
  const found: Found = { uses: new Map(), predicates: new Map(), texts: new Set(), aliases: new Set(), lone: new Set() }
  const namesAll = collect(tree.statements ?? null, found)
  const predicates = new Map([...found.predicates].filter(([name]) => found.uses.get(name) === 1))
  // a table's name where a column stands is all of its row
  const wholeRow = [...found.aliases].some((name) => found.lone.has(name))
  const untypedNulls = nullColumns(tree.statements ?? null)
  return { predicates, untypedNulls, ...(!namesAll && !wholeRow && { columns: found.texts }) }
}

/** Places in the list of the outermost SELECT; none behind a star, for nobody knows how many columns that is. */
function nullColumns(statements: JsonValue): ReadonlySet<number> {
  const places = new Set<number>()
  const [first] = Array.isArray(statements) ? (statements as readonly JsonValue[]) : []
  const node = isJsonObject(first) ? first.node : undefined
  const list = isJsonObject(node) && node.type === 'SELECT_NODE' ? node.select_list : undefined
  if (!Array.isArray(list)) return places
  for (const [i, item] of (list as readonly JsonValue[]).entries()) {
    if (!isJsonObject(item) || NAMES_ALL.has(item.class)) break
    if (item.class === 'CONSTANT' && isJsonObject(item.value) && item.value.is_null === true) places.add(i)
  }
  return places
}

function syntaxErrorOf(tree: JsonValue): Pick<QueryNeeds, 'syntaxError'> {
  if (!isJsonObject(tree) || tree.error_type !== 'parser') return {}
  const { error_message: reason, position } = tree
  return { syntaxError: { reason: String(reason), offset: typeof position === 'string' ? Number(position) : 0 } }
}

interface Found {
  readonly uses: Map<string, number>
  readonly predicates: Map<string, string>
  /** every text of the tree, folded: what names a column is among them */
  readonly texts: Set<string>
  /** names that tables go by, folded */
  readonly aliases: Set<string>
  /** unqualified names that stand for columns, folded */
  readonly lone: Set<string>
}

const NAMES_ALL: ReadonlySet<unknown> = new Set(['STAR', 'PIVOT', 'NATURAL', 'SHOW_REF'])

/** @returns whether something stands for columns without naming them */
function collect(node: JsonValue, found: Found): boolean {
  if (typeof node === 'string') found.texts.add(foldCase(node))
  if (Array.isArray(node)) return (node as readonly JsonValue[]).map((item) => collect(item, found)).includes(true)
  if (!isJsonObject(node)) return false
  if (node.type === 'BASE_TABLE' && typeof node.table_name === 'string') {
    found.uses.set(node.table_name, (found.uses.get(node.table_name) ?? 0) + 1)
  }
  for (const name of [node.table_name, node.alias]) if (typeof name === 'string') found.aliases.add(foldCase(name))
  if (node.class === 'COLUMN_REF' && Array.isArray(node.column_names) && node.column_names.length === 1) {
    found.lone.add(foldCase(String(node.column_names[0])))
  }
  if (node.type === 'SELECT_NODE' && isJsonObject(node.where_clause)) takeSelect(node, node.where_clause, found)
  const below = Object.values(node).map((member) => collect(member ?? null, found))
  return below.includes(true) || NAMES_ALL.has(node.class) || NAMES_ALL.has(node.type) || NAMES_ALL.has(node.ref_type)
}

function takeSelect(select: JsonObject, where: JsonObject, found: Found): void {
  const tables = baseTables(select.from_table)
  if (tables === undefined) return
  const [only] = tables.length === 1 ? tables : []
  for (const conjunct of conjunctsOf(where)) {
    const predicate = predicateOf(conjunct)
    if (predicate === undefined) continue
    const { qualifier, text } = predicate
    const matching = qualifier === undefined ? [only] : tables.filter(({ alias }) => sameName(alias, qualifier))
    const [table] = matching
    if (table === undefined || matching.length > 1) continue
    const known = found.predicates.get(table.name)
    found.predicates.set(table.name, known === undefined ? text : `${known} AND ${text}`)
  }
}

interface BaseTable {
  readonly name: string
  /** what columns are qualified with */
  readonly alias: string
}

const JOINS: ReadonlySet<unknown> = new Set(['INNER', 'LEFT', 'RIGHT', 'OUTER'])
const REFERENCES: ReadonlySet<unknown> = new Set(['REGULAR', 'CROSS', 'NATURAL'])

/** Undefined where rows of a table cannot be left out before the rest: nearest matches, matches by position, samples. */
function baseTables(from: JsonValue | undefined): readonly BaseTable[] | undefined {
  if (!isJsonObject(from) || from.sample !== undefined) return undefined
  const { alias, table_name: name } = from
  if (from.type === 'BASE_TABLE' && typeof name === 'string') {
    return [{ name, alias: typeof alias === 'string' && alias !== '' ? alias : name }]
  }
  // its own SELECT is looked at by itself
  if (from.type === 'SUBQUERY' && typeof alias === 'string') return [{ name: '', alias }]
  if (from.type !== 'JOIN' || !JOINS.has(from.join_type) || !REFERENCES.has(from.ref_type)) return undefined
  const [left, right] = [baseTables(from.left), baseTables(from.right)]
  return left && right && [...left, ...right]
}

function conjunctsOf(where: JsonObject): readonly JsonObject[] {
  if (where.type !== 'CONJUNCTION_AND' || !Array.isArray(where.children)) return [where]
  return (where.children as readonly JsonValue[]).filter(isJsonObject).flatMap(conjunctsOf)
}

interface Predicate {
  readonly qualifier: string | undefined
  readonly text: string
}

const COMPARISONS: Readonly<Record<string, readonly [operator: string, flipped: string]>> = {
  COMPARE_EQUAL: ['=', '='],
  COMPARE_LESSTHAN: ['<', '>'],
  COMPARE_LESSTHANOREQUALTO: ['<=', '>='],
  COMPARE_GREATERTHAN: ['>', '<'],
  COMPARE_GREATERTHANOREQUALTO: ['>=', '<='],
}

function predicateOf(node: JsonObject): Predicate | undefined {
  if (node.class === 'COMPARISON') return comparison(node)
  if (node.class === 'BETWEEN' && node.type === 'COMPARE_BETWEEN') {
    const [lower, upper] = [constant(node.lower), constant(node.upper)]
    if (lower === undefined || upper === undefined) return undefined
    return ofColumn(node.input, (column) => `${column} BETWEEN ${lower} AND ${upper}`)
  }
  if (node.type === 'COMPARE_IN' && Array.isArray(node.children)) {
    const [column, ...values] = node.children as readonly JsonValue[]
    const texts = values.map(constant)
    if (texts.includes(undefined) || texts.length === 0) return undefined
    return ofColumn(column, (name) => `${name} IN (${texts.join(', ')})`)
  }
  return undefined
}

function comparison({ type, left, right }: JsonObject): Predicate | undefined {
  const operators = typeof type === 'string' && Object.hasOwn(COMPARISONS, type) ? COMPARISONS[type] : undefined
  if (operators === undefined) return undefined
  const [plain, flipped] = operators
  const [before, behind] = [constant(left), constant(right)]
  if (behind !== undefined) return ofColumn(left, (column) => `${column} ${plain} ${behind}`)
  return before === undefined ? undefined : ofColumn(right, (column) => `${column} ${flipped} ${before}`)
}

function ofColumn(node: JsonValue | undefined, text: (column: string) => string): Predicate | undefined {
  if (!isJsonObject(node) || node.class !== 'COLUMN_REF' || !Array.isArray(node.column_names)) return undefined
  const names = node.column_names as readonly JsonValue[]
  const [name, qualifier] = [...names].reverse()
  if (names.length > 2 || typeof name !== 'string') return undefined
  const column = `\`${name.replaceAll('`', '``')}\``
  return { qualifier: typeof qualifier === 'string' ? qualifier : undefined, text: text(column) }
}

const INTEGERS: ReadonlySet<unknown> = new Set(['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT'])
const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIMESTAMP = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,6})?$/

/** A constant as the expression language writes it; undefined where the two might read it differently. */
function constant(node: JsonValue | undefined): string | undefined {
  if (!isJsonObject(node)) return undefined
  if (node.class === 'CAST') return castConstant(node)
  if (node.class !== 'CONSTANT' || !isJsonObject(node.value) || node.value.is_null !== false) return undefined
  const { type, value } = node.value
  if (!isJsonObject(type)) return undefined
  if (type.id === 'VARCHAR' && typeof value === 'string') return textLiteral(value)
  const digits = value instanceof JsonNumber ? value.text : String(value)
  if (!/^-?\d+$/.test(digits)) return undefined
  if (INTEGERS.has(type.id)) return digits
  const scale = isJsonObject(type.type_info) ? type.type_info.scale : undefined
  return type.id === 'DECIMAL' && typeof scale === 'number' ? decimalText(digits, scale) : undefined
}

function castConstant({ child, cast_type: type, try_cast: safe }: JsonObject): string | undefined {
  if (safe !== false || !isJsonObject(child) || !isJsonObject(child.value) || !isJsonObject(type)) return undefined
  const { value } = child.value
  if (child.class !== 'CONSTANT' || typeof value !== 'string') return undefined
  if (type.id === 'DATE' && DATE.test(value)) return `DATE'${value}'`
  return type.id === 'TIMESTAMP' && TIMESTAMP.test(value) ? `TIMESTAMP'${value}'` : undefined
}

function textLiteral(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function decimalText(digits: string, scale: number): string {
  const [sign, number] = digits.startsWith('-') ? ['-', digits.slice(1)] : ['', digits]
  const padded = number.padStart(scale + 1, '0')
  return `${sign}${padded.slice(0, padded.length - scale)}.${padded.slice(padded.length - scale)}`
}

function sameName(a: string, b: string): boolean {
  return foldCase(a) === foldCase(b)
}
