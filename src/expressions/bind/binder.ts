/** One walk over an expression: names to columns, calls to the table of functions, constants to literals. */
import { type DeltaError, deltaError } from '../../errors/index.ts'
import { booleanType, foldCase, isNested, stringType, timestampType } from '../../schema/index.ts'
import { checkCast, typeText } from '../cast/rules.ts'
import { zoneOf } from '../datetime/zone.ts'
import { type BoundExpression, type Expression, type ExpressionType, isInterval } from '../expression.ts'
import { bindCase } from '../functions/conditional.ts'
import type { CallSite } from '../functions/entry.ts'
import { findFunction } from '../functions/table.ts'
import { parameterText, printExpression } from '../print.ts'
import type { Scope } from '../scope.ts'
import { unsupported } from '../unsupported.ts'
import { coerce, markWritten } from './coercion.ts'
import { foldTree } from './fold.ts'
import { resolveColumn } from './names.ts'
import { refuseKnown } from './refused-functions.ts'

type Node<K extends Expression['kind']> = Extract<Expression, { kind: K }>

/** A parameter of a lambda: as it is written, and the name that no other has. */
interface Param {
  readonly written: string
  readonly name: string
  readonly type: ExpressionType
}

const UTC_NAMES = new Set(['UTC', 'Z', 'Etc/UTC', 'GMT'])

export class Binder {
  private readonly scopes: readonly Scope[]
  private readonly timeZone: string
  private params: readonly Param[] = []
  private named = 0

  constructor(scopes: readonly Scope[], timeZone: string) {
    this.scopes = scopes
    this.timeZone = UTC_NAMES.has(timeZone) ? 'UTC' : zoneOf(timeZone).name
  }

  bind(node: Expression): BoundExpression {
    switch (node.kind) {
      case 'literal':
        return markWritten({ kind: 'literal', value: node.value, type: node.type })
      case 'column':
        return this.bindPath(node.path)
      case 'cast':
        return this.bindCast(node)
      case 'case':
        return this.bindCaseNode(node)
      case 'call':
        return this.bindCall(node)
      case 'lambda':
        throw deltaError('LAKE_EXPRESSION_UNSUPPORTED', {
          what: 'a lambda by itself',
          advice: 'give it to a function such as transform or filter',
        })
      case 'parameter':
        throw deltaError('UNBOUND_SQL_PARAMETER', { name: parameterText(node.name) })
      case 'foreign':
        throw unsupported(node.what, node.advice, node.construct)
    }
  }

  private bindCast(node: Node<'cast'>): BoundExpression {
    const child = this.bind(node.child)
    checkCast(child.type, node.type, node.safe)
    if (child.type.kind === 'void') return coerce(child, node.type)
    const same = typeText(child.type) === typeText(node.type)
    if (same) return child.kind === 'literal' ? { ...child } : child
    return this.settle({ kind: 'cast', child, type: node.type, safe: node.safe })
  }

  private bindCaseNode(node: Node<'case'>): BoundExpression {
    const branches = node.branches.map(({ when, then }) => ({ when: this.bind(when), then: this.bind(then) }))
    const otherwise = node.otherwise === undefined ? undefined : this.bind(node.otherwise)
    return this.settle(bindCase('CASE', branches, otherwise))
  }

  private bindCall(node: Node<'call'>): BoundExpression {
    if (node.name === 'timestamp_literal') return this.timestampLiteral(node)
    const entry = findFunction(node.name)
    if (entry === undefined) throw refuseKnown(node.name) ?? unknownFunction(node.name)
    const [first] = node.args
    const hasUnit = first?.kind === 'literal' && first.type.kind === 'string' && first.value !== null
    if (TAKES_UNIT.has(node.name) && !hasUnit) throw unknownFunction(node.name)
    const [least, most] = entry.arity
    if (node.args.length < least || node.args.length > most) {
      throw deltaError('WRONG_NUM_ARGS.WITHOUT_SUGGESTION', {
        name: node.name,
        expected: arityText(least, most),
        actual: node.args.length,
      })
    }
    const args = node.args.map((arg) => (arg.kind === 'lambda' ? PLACEHOLDER : this.bind(arg)))
    return this.settle(entry.bind(args, this.siteOf(node)))
  }

  private timestampLiteral(node: Node<'call'>): BoundExpression {
    const text = node.args[0]!
    const child: BoundExpression = {
      kind: 'literal',
      value: text.kind === 'literal' ? text.value : null,
      type: stringType,
    }
    return this.settle({ kind: 'cast', child, type: timestampType, safe: false })
  }

  private siteOf(node: Node<'call'>): CallSite {
    return {
      name: node.name,
      timeZone: this.timeZone,
      lambda: (index, types) => {
        const lambda = node.args[index]
        if (lambda?.kind !== 'lambda') {
          throw deltaError('DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE', {
            name: node.name,
            position: index + 1,
            expected: 'a lambda',
            actual: 'a value',
          })
        }
        return this.bindLambda(lambda, types)
      },
      lambdaArity: (index) => {
        const lambda = node.args[index]
        return lambda?.kind === 'lambda' ? lambda.params.length : undefined
      },
    }
  }

  private bindLambda(node: Node<'lambda'>, types: readonly ExpressionType[]): BoundExpression {
    const params = node.params.map((written, i) => {
      const type = types[i]
      if (type === undefined) {
        throw deltaError('WRONG_NUM_ARGS.WITHOUT_SUGGESTION', {
          name: 'the lambda',
          expected: types.length,
          actual: node.params.length,
        })
      }
      return { written, name: `${written}#${this.named++}`, type }
    })
    const outer = this.params
    this.params = [...params, ...outer]
    const body = this.bind(node.body)
    this.params = outer
    return { kind: 'lambda', params: params.map(({ name, type }) => ({ name, type })), body, type: body.type }
  }

  /** A column and fields below it, or the parameter of a lambda and fields below it. */
  private bindPath(path: readonly string[]): BoundExpression {
    const [head, ...rest] = path as [string, ...string[]]
    const param = this.params.find(({ written }) => foldCase(written) === foldCase(head))
    if (param !== undefined) {
      return this.fieldsOf({ kind: 'variable', name: param.name, type: param.type }, rest)
    }
    const { column, rest: fields } = resolveColumn(this.scopes, path)
    return this.fieldsOf(column, fields)
  }

  private fieldsOf(base: BoundExpression, names: readonly string[]): BoundExpression {
    return names.reduce((node, name) => {
      const text: BoundExpression = { kind: 'literal', value: name, type: stringType }
      return findFunction('getfield')!.bind([node, text], NO_SITE)
    }, base)
  }

  /** The zone put on what hangs on it, constants worked out. */
  private settle(node: BoundExpression): BoundExpression {
    return foldTree(this.timeZone === 'UTC' ? node : this.zoned(node))
  }

  private zoned(node: BoundExpression): BoundExpression {
    if (node.kind === 'cast') {
      const child = this.zoned(node.child)
      return hangsOnZone(child.type, node.type) ? { ...node, child, timeZone: this.timeZone } : { ...node, child }
    }
    if (node.kind === 'case') {
      return {
        ...node,
        branches: node.branches.map(({ when, then }) => ({ when: this.zoned(when), then: this.zoned(then) })),
        otherwise: this.zoned(node.otherwise),
      }
    }
    if (node.kind !== 'call') return node
    const args = node.args.map((arg) => this.zoned(arg))
    return findFunction(node.name)?.zoned === true ? { ...node, args, timeZone: this.timeZone } : { ...node, args }
  }
}

/** Functions whose first argument is the name of a unit, which the parser makes a literal of. */
const TAKES_UNIT = new Set(['timestampadd', 'timestampdiff'])

const PLACEHOLDER: BoundExpression = { kind: 'literal', value: null, type: { kind: 'void' } }
const NO_SITE: CallSite = {
  name: 'getfield',
  timeZone: 'UTC',
  lambda: () => {
    throw unknownFunction('getfield')
  },
  lambdaArity: () => undefined,
}

function hangsOnZone(from: ExpressionType, to: ExpressionType): boolean {
  if (isInterval(from) || isInterval(to)) return false
  const kinds = [from.kind, to.kind]
  if (isNested(from) || isNested(to)) return true
  return kinds.includes('timestamp') && kinds.some((kind) => ['string', 'date', 'timestamp_ntz'].includes(kind))
}

function unknownFunction(name: string): DeltaError {
  return deltaError('UNRESOLVED_ROUTINE', { name })
}

function arityText(least: number, most: number): string {
  if (least === most) return String(least)
  return Number.isFinite(most) ? `${least} to ${most}` : `${least} or more`
}

/** The condition as boolean. */
export function asCondition(bound: BoundExpression, source: Expression): BoundExpression {
  if (bound.type.kind === 'boolean') return bound
  if (bound.type.kind === 'void') return coerce(bound, booleanType)
  throw deltaError('DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN', {
    expression: printExpression(source),
    type: typeText(bound.type),
  })
}
