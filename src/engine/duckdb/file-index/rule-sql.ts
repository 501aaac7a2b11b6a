/**
 * A skipping rule as a SQL condition over the columns `pv` and `stats` of an index.
 *
 * The condition is TRUE for every file the rule keeps and may be TRUE for others: a bound is used only where its text is
 * plainly of the column's type, so that DuckDB and the kernel cannot read it differently. Every condition here is TRUE or
 * FALSE, never NULL. Source: Delta protocol, "Per-file Statistics".
 */
import { type Comparison, compareValues, type RuleColumn, type SkippingRule } from '../../../kernel/index.ts'
import { type DataType, doubleType, stringType, timestampNtzType, type Value } from '../../../schema/index.ts'
import { MICROS_PER_DAY } from '../../../support/index.ts'
import { quoteLiteral } from '../sql-text.ts'
import { literal as literalSql } from '../values/literal.ts'

type NonNull = Exclude<Value, null>
type ColumnRule = Extract<SkippingRule, { column: RuleColumn }>

export interface RuleSql {
  /** what partition values alone decide; no statistics are read for it */
  readonly partitions: string
  /** the whole rule; `x` is the list of JSON values at `pointers`, NULL where the statistics are not JSON */
  readonly whole: string
  /** JSON pointers into the statistics */
  readonly pointers: readonly string[]
}

export function ruleSql(rule: SkippingRule): RuleSql {
  const statistics = new Pointers()
  const whole = new RuleWriter(statistics).keep(rule)
  return { partitions: new RuleWriter(undefined).keep(rule), whole, pointers: statistics.list }
}

function pointerTo(path: readonly string[]): string {
  return `/${path.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
}

/** SQL of the JSON text at a path, read by itself and only for the rows it is evaluated for. */
function textAt(path: readonly string[]): string {
  return `TRY(json_extract(stats, ${quoteLiteral(pointerTo(path))}))::VARCHAR`
}

/** Pointers in the order they are first asked for. */
class Pointers {
  readonly list: string[] = []

  /** SQL of the JSON text at a path of the statistics: quoted where it is a string. */
  json(path: readonly string[]): string {
    const pointer = pointerTo(path)
    let at = this.list.indexOf(pointer)
    if (at < 0) at = this.list.push(pointer) - 1
    return `x[${at + 1}]::VARCHAR`
  }
}

/** The least and greatest value a column may have in a file, as SQL that is NULL where it is not known. */
interface Bounds {
  readonly min: string
  readonly max: string
}

class RuleWriter {
  private readonly statistics: Pointers | undefined

  /** @param statistics undefined: rules over statistics keep every file */
  constructor(statistics: Pointers | undefined) {
    this.statistics = statistics
  }

  keep(rule: SkippingRule): string {
    switch (rule.kind) {
      case 'keep':
      // the kernel evaluates it for the files given
      case 'partitionPredicate':
        return 'true'
      case 'never':
        return 'false'
      case 'implied':
        return this.keep(rule.rule)
      case 'and':
        return this.join(rule.rules, 'AND', 'true')
      case 'or':
        return this.join(rule.rules, 'OR', 'false')
      default:
        return this.keepLeaf(rule)
    }
  }

  private join(rules: readonly SkippingRule[], word: string, empty: string): string {
    return rules.length === 0 ? empty : `(${rules.map((rule) => this.keep(rule)).join(` ${word} `)})`
  }

  private keepLeaf(rule: ColumnRule): string {
    if (!rule.column.partition && this.statistics === undefined) return 'true'
    if (rule.kind === 'isNull') return this.mayBeNull(rule.column)
    const values = equalTexts(rule)
    if (values !== undefined) {
      // one look at the value, whatever its padding; looked at where it is null it equals nothing
      const texts = values.map((value) => `rtrim(${literalSql(value, stringType)}, ' ')`)
      return `coalesce(rtrim(${this.partitionText(rule.column)}, ' ') IN (${texts.join(', ')}), false)`
    }
    const proofs = [...this.dropProofs(rule), this.isAllNull(rule.column)]
    return `NOT coalesce(${proofs.join(' OR ')}, false)`
  }

  private dropProofs(rule: ColumnRule): string[] {
    const bounds = this.bounds(rule.column)
    if (bounds === undefined) return []
    const { type } = rule.column
    switch (rule.kind) {
      case 'compare':
        return rule.orNaN || !isNear(rule.value, type)
          ? []
          : [proof(outside(rule.op, bounds, comparable(rule.value, type), type))]
      case 'in':
        return rule.values.every((value) => isNear(value, type)) ? [proof(outsideAll(rule, bounds))] : []
      case 'startsWith':
        return type.kind === 'string' ? [proof(outsidePrefix(bounds, rule.prefix))] : []
      default:
        return []
    }
  }

  private mayBeNull(column: RuleColumn): string {
    // a text that is no value of the type is not known to be NULL or not
    if (column.partition) return `${readText(this.partitionText(column), column.type) ?? 'NULL'} IS NULL`
    return `coalesce(${this.nullCount(column)} <> '0', true)`
  }

  private isAllNull(column: RuleColumn): string {
    if (column.partition) return `${this.partitionText(column)} IS NULL`
    // a column of nulls has no bounds; the counts are read for such files only
    const least = this.statistics!.json(['minValues', ...column.path])
    const counts = `${textAt(['nullCount', ...column.path])} = ${textAt(['numRecords'])}`
    return `CASE WHEN ${least} IS NULL THEN ${proof(counts)} ELSE false END`
  }

  private nullCount(column: RuleColumn): string {
    return this.statistics!.json(['nullCount', ...column.path])
  }

  /** The value as text; an empty text is null except where it is a string. */
  private partitionText(column: RuleColumn): string {
    const text = `pv[${quoteLiteral(column.path[0]!)}]`
    return column.type.kind === 'string' ? text : `nullif(${text}, '')`
  }

  private bound(which: 'minValues' | 'maxValues', column: RuleColumn): string {
    const json = this.statistics!.json([which, ...column.path])
    if (!QUOTED.has(column.type.kind)) return json
    // without a zone an instant's bound says nothing, as the kernel has it
    const zoned = column.type.kind === 'timestamp' ? ` AND ends_with(${json}, 'Z"')` : ''
    return `CASE WHEN starts_with(${json}, '"')${zoned} THEN json_extract_string(${json}, '$') END`
  }

  private bounds(column: RuleColumn): Bounds | undefined {
    if (column.partition) {
      const value = readText(this.partitionText(column), column.type)
      return value === undefined ? undefined : widened({ min: value, max: value }, column.type)
    }
    const min = readText(this.bound('minValues', column), column.type)
    const max = readText(this.bound('maxValues', column), column.type)
    return min === undefined || max === undefined ? undefined : widened({ min, max }, column.type)
  }
}

/** The texts of which a partition value must be one; undefined where the rule asks something else. */
function equalTexts(rule: ColumnRule): readonly NonNull[] | undefined {
  if (!rule.column.partition || rule.column.type.kind !== 'string') return undefined
  if (rule.kind === 'compare' && rule.op === '=') return [rule.value]
  return rule.kind === 'in' && rule.values.length > 0 ? rule.values : undefined
}

/** Types whose bounds are strings in JSON; those of all others are bare numbers. */
const QUOTED: ReadonlySet<string> = new Set(['string', 'date', 'timestamp', 'timestamp_ntz'])

/** FALSE where the proof cannot be had. */
function proof(condition: string): string {
  return `coalesce(${condition}, false)`
}

const INTEGER = '-?[0-9]{1,18}'
const REAL = '-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?'
const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}'
const TIMESTAMP = '[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?Z?'

/** The text of a value as that value; NULL where its form is any but the plain one. Undefined: no bounds for the type. */
function readText(text: string, type: DataType): string | undefined {
  switch (type.kind) {
    case 'string':
      return text
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return whenMatches(text, INTEGER, `TRY_CAST(${text} AS BIGINT)`)
    case 'decimal': {
      // JSON numbers come out of DuckDB through a double, which keeps 15 digits
      const pattern = `-?[0-9]{1,15}(\\.[0-9]{1,${Math.max(type.scale, 1)}})?`
      const isShort = `length(replace(replace(${text}, '-', ''), '.', '')) <= 15`
      return `CASE WHEN ${isShort} THEN ${whenMatches(text, pattern, `TRY_CAST(${text} AS DOUBLE)`)} END`
    }
    case 'float':
    case 'double':
      return whenMatches(text, REAL, `TRY_CAST(${text} AS DOUBLE)`)
    case 'date':
      return whenMatches(text, DATE, `TRY_CAST(${text} AS DATE)`)
    case 'timestamp':
    case 'timestamp_ntz':
      return whenMatches(text, TIMESTAMP, `TRY_CAST(rtrim(${text}, 'Z') AS TIMESTAMP)`)
    case 'boolean':
      return `CASE ${text} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`
    default:
      return undefined
  }
}

function whenMatches(text: string, pattern: string, value: string): string {
  return `CASE WHEN regexp_full_match(${text}, ${quoteLiteral(pattern)}) THEN ${value} END`
}

/** Bounds as far out as what they were cut or rounded from may lie. */
function widened({ min, max }: Bounds, type: DataType): Bounds {
  // a float's shortest text read as a double is off by less than 2^-23 of it, or by the least float; a decimal's by 2^-52
  const slack = (bound: string) =>
    type.kind === 'decimal' ? `abs(${bound}) * 1e-15` : `(abs(${bound}) * 1.2e-7 + 1.5e-45)`
  switch (type.kind) {
    case 'float':
    case 'double':
    case 'decimal':
      return { min: `(${min} - ${slack(min)})`, max: `(${max} + ${slack(max)})` }
    case 'timestamp':
    case 'timestamp_ntz':
      return { min, max: `(${max} + INTERVAL 999 MICROSECONDS)` }
    default:
      return { min, max }
  }
}

/** A value of a predicate in the type `readText` gives. */
function comparable(value: NonNull, type: DataType): string {
  switch (type.kind) {
    case 'boolean':
      return value ? '1' : '0'
    case 'decimal':
      return `CAST('${String(value)}' AS DOUBLE)`
    case 'float':
      return literalSql(value, doubleType)
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return `${String(value)}::BIGINT`
    case 'timestamp':
      return literalSql(value, timestampNtzType)
    default:
      return literalSql(value, type)
  }
}

const [FIRST_DAY, LAST_DAY] = [-719_162, 2_932_896]

/** Whether a time lies in the years 1 to 9999: further away DuckDB has infinities where the log has days. */
function isNear(value: NonNull, type: DataType): boolean {
  switch (type.kind) {
    case 'date':
      return Number(value) >= FIRST_DAY && Number(value) <= LAST_DAY
    case 'timestamp':
    case 'timestamp_ntz': {
      const day = Number((value as bigint) / MICROS_PER_DAY)
      return day >= FIRST_DAY && day <= LAST_DAY
    }
    default:
      return true
  }
}

/** A longer list is judged by its ends alone, and file by file by the kernel: SQL would try each value for each file. */
const LONGEST_LIST = 64

function outsideAll({ values, column: { type } }: Extract<SkippingRule, { kind: 'in' }>, bounds: Bounds): string {
  if (values.length <= LONGEST_LIST) {
    return values.map((value) => `(${outside('=', bounds, comparable(value, type), type)})`).join(' AND ') || 'false'
  }
  const [least, greatest] = endsOf(values, type)
  const below = outside('>=', bounds, comparable(least, type), type)
  return `${below} OR ${outside('<=', bounds, comparable(greatest, type), type)}`
}

function endsOf(values: readonly NonNull[], type: DataType): readonly [NonNull, NonNull] {
  let [least, greatest] = [values[0]!, values[0]!]
  for (const value of values) {
    if ((compareValues(value, least, type) ?? 0) < 0) least = value
    if ((compareValues(value, greatest, type) ?? 0) > 0) greatest = value
  }
  return [least, greatest]
}

/** Whether no value between the bounds fulfils `value op literal`. */
function outside(op: Comparison, { min, max }: Bounds, literal: string, type: DataType): string {
  const less = (a: string, b: string) => lessThan(a, b, type)
  switch (op) {
    case '=':
      return `${less(max, literal)} OR ${less(literal, min)}`
    case '<':
      return `NOT ${mayLess(min, literal, type)}`
    case '<=':
      return less(literal, min)
    case '>':
      return `NOT ${mayLess(literal, max, type)}`
    case '>=':
      return less(max, literal)
    case '!=':
      // strings and widened bounds are no values of the file, and two rows may differ where both ends are one value
      return 'false'
  }
}

/** Proof that a < b. char(n) is compared with its padding cut, so both readings of a text must agree. */
function lessThan(a: string, b: string, type: DataType): string {
  return type.kind === 'string' ? `(${a} < ${b} AND rtrim(${a}, ' ') < rtrim(${b}, ' '))` : `(${a} < ${b})`
}

/** Whether a < b is possible in either reading. */
function mayLess(a: string, b: string, type: DataType): string {
  return type.kind === 'string' ? `(${a} < ${b} OR rtrim(${a}, ' ') < rtrim(${b}, ' '))` : `(${a} < ${b})`
}

/** Whether no text between the bounds begins with the prefix: all are below it, or the least is above everything so begun. */
function outsidePrefix({ min, max }: Bounds, prefix: string): string {
  const text = literalSql(prefix, stringType)
  return `${lessThan(max, text, stringType)} OR left(${min}, ${[...prefix].length}) > ${text}`
}
