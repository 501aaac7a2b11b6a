/** Comparisons, three-valued logic, and choices among values. */
import type { BoundExpression } from '../../../../expressions/index.ts'
import { type Fragment, failing, mayAnyFail, notCompiled } from '../fragment.ts'
import {
  type CallForm,
  type CompiledCall,
  constantOf,
  lenient,
  NESTED,
  refuseTypes,
  sqlOf,
  strict,
} from './call-form.ts'

function comparison(operator: string): CallForm {
  return strict(([a, b], call) => {
    refuseTypes(call, ...NESTED)
    return `(${a} ${operator} ${b})`
  })
}

/** AND and OR: an operand that may fail is not looked at where one before it has decided. */
function connective(name: 'and' | 'or'): CallForm {
  const decided = name === 'and' ? 'IS FALSE' : 'IS TRUE'
  return {
    strict: false,
    compile: (call) => {
      const [left, right] = call.args as [Fragment, Fragment]
      const second =
        right.mayFail && !failsWith(call.nodes[0]!, call.nodes[1]!)
          ? `CASE WHEN ${left.sql} ${decided} THEN NULL ELSE ${right.sql} END`
          : right.sql
      return { sql: `(${left.sql} ${name.toUpperCase()} ${second})`, mayFail: mayAnyFail(call.args) }
    },
  }
}

/**
 * Whether the second of two comparisons can fail only where the first has failed: it compares the same value with a
 * constant, as in BETWEEN.
 */
function failsWith(first: BoundExpression, second: BoundExpression): boolean {
  if (!isComparison(first) || !isComparison(second)) return false
  const [value, bound] = second.args as [BoundExpression, BoundExpression]
  return bound.kind === 'literal' && isSame(value, first.args[0]!)
}

const COMPARISONS: ReadonlySet<string> = new Set(['=', '!=', '<', '<=', '>', '>='])

function isComparison(node: BoundExpression): node is BoundExpression & { kind: 'call' } {
  return node.kind === 'call' && COMPARISONS.has(node.name)
}

/** Whether two expressions are the same, as far as it is quickly seen. */
function isSame(a: BoundExpression, b: BoundExpression): boolean {
  if (a.kind === 'literal' && b.kind === 'literal') return a.value === b.value && a.type.kind === b.type.kind
  if (a.kind === 'column' && b.kind === 'column') return a.ordinals.join('.') === b.ordinals.join('.')
  if (a.kind !== 'call' || b.kind !== 'call' || a.name !== b.name || a.args.length !== b.args.length) return false
  return a.args.every((arg, i) => isSame(arg, b.args[i]!))
}

const isIn: CallForm = {
  strict: false,
  compile: (call) => {
    refuseTypes(call, ...NESTED)
    const [value, ...items] = call.args
    if (mayAnyFail(items)) return lazyIn(value!, items)
    if (value!.mayFail) return lazyValueIn(value!, items)
    return { sql: `(${value!.sql} IN (${items.map((item) => item.sql).join(', ')}))`, mayFail: value!.mayFail }
  },
}

/** Not as IN: DuckDB makes a join of it, which looks at the value for every row, whatever CASE it stands in. */
function lazyValueIn(value: Fragment, items: readonly Fragment[]): Fragment {
  const list = items.map((item) => item.sql).join(', ')
  const unknown = items.map((item) => `${item.sql} IS NULL`).join(' OR ')
  const found = `CASE WHEN list_contains([${list}], ${value.sql}) THEN true WHEN ${unknown} THEN NULL ELSE false END`
  return failing(`CASE WHEN ${value.sql} IS NOT NULL THEN ${found} END`)
}

/** Items one after the other, none behind the first that is equal. */
function lazyIn(value: Fragment, items: readonly Fragment[]): Fragment {
  const tests = items.map((item) => `WHEN ${value.sql} = ${item.sql} THEN true`).join(' ')
  const unknown = items.map((item) => `${item.sql} IS NULL`).join(' OR ')
  return failing(`CASE WHEN ${value.sql} IS NULL THEN NULL ${tests} WHEN ${unknown} THEN NULL ELSE false END`)
}

const like: CallForm = {
  strict: true,
  compile: (call) => {
    const pattern = constantOf(call, 1)
    const escaping = call.nodes.length > 2 ? constantOf(call, 2) : '\\'
    const [value, patternSql] = sqlOf(call) as [string, string]
    if (typeof pattern === 'string' && typeof escaping === 'string') checkPattern(pattern, escaping)
    const escapeSql = call.nodes.length > 2 ? sqlOf(call)[2]! : `'\\'`
    return { sql: `(${value} LIKE ${patternSql} ESCAPE ${escapeSql})`, mayFail: mayAnyFail(call.args) }
  },
}

/** DuckDB takes any character behind the escape; where Spark raises an error the evaluator does it. */
function checkPattern(pattern: string, escaping: string): void {
  const characters = [...pattern]
  for (let i = 0; i < characters.length; i++) {
    if (characters[i] !== escaping) continue
    const next = characters[++i]
    if (next !== '%' && next !== '_' && next !== escaping) throw notCompiled('a LIKE pattern with a stray escape')
  }
}

function chosen(name: 'greatest' | 'least'): CallForm {
  return lenient((args, call) => {
    refuseTypes(call, ...NESTED, 'void')
    return `${name}(${args.join(', ')})`
  })
}

const coalesce: CallForm = lenient((args, call) => (isVoid(call) ? args[0]! : `coalesce(${args.join(', ')})`))

function isVoid(call: CompiledCall): boolean {
  return call.type.kind === 'void'
}

export const logicForms: readonly (readonly [string, CallForm])[] = [
  ['=', comparison('=')],
  ['!=', comparison('<>')],
  ['<', comparison('<')],
  ['<=', comparison('<=')],
  ['>', comparison('>')],
  ['>=', comparison('>=')],
  [
    '<=>',
    lenient(([a, b], call) => {
      refuseTypes(call, ...NESTED)
      return `(${a} IS NOT DISTINCT FROM ${b})`
    }),
  ],
  ['and', connective('and')],
  ['or', connective('or')],
  ['not', strict(([a]) => `(NOT ${a})`)],
  ['isnull', lenient(([a]) => `(${a} IS NULL)`)],
  ['isnotnull', lenient(([a]) => `(${a} IS NOT NULL)`)],
  ['isnan', lenient(([a]) => `coalesce(isnan(${a}), false)`)],
  ['nanvl', lenient(([a, b]) => `CASE WHEN isnan(${a}) THEN ${b} ELSE ${a} END`)],
  ['in', isIn],
  ['like', like],
  ['coalesce', coalesce],
  ['greatest', chosen('greatest')],
  ['least', chosen('least')],
]
