/** Bound expressions turned into closures, once, to be called for every row. */
import { assert } from '../../errors/index.ts'
import type { Row, Value } from '../../schema/index.ts'
import { makeCast } from '../cast/index.ts'
import { zoneOf } from '../datetime/zone.ts'
import type { BoundExpression } from '../expression.ts'
import type { CallShape, Evaluator, NotNull } from '../functions/entry.ts'
import { findFunction } from '../functions/table.ts'

type Node<K extends BoundExpression['kind']> = Extract<BoundExpression, { kind: K }>

/** Where the parameters of the lambdas around a node keep their values. */
type Cells = ReadonlyMap<string, { value: Value }>

export function compile(node: BoundExpression, cells: Cells): Evaluator {
  switch (node.kind) {
    case 'literal': {
      const { value } = node
      return () => value
    }
    case 'column':
      return compileColumn(node.ordinals)
    case 'variable': {
      const cell = cells.get(node.name)
      assert(cell !== undefined, `the parameter ${node.name} belongs to a lambda around it`)
      return () => cell.value
    }
    case 'cast':
      return compileCast(node, cells)
    case 'case':
      return compileCase(node, cells)
    case 'call':
      return compileCall(node, cells)
    case 'lambda':
      return compile(node.body, cells)
  }
}

function compileColumn(ordinals: readonly number[]): Evaluator {
  const [first, ...rest] = ordinals as [number, ...number[]]
  if (rest.length === 0) return (row) => row[first] ?? null
  return (row) => {
    let value: Value = row[first] ?? null
    for (const ordinal of rest) {
      if (value === null) return null
      value = (value as Row)[ordinal] ?? null
    }
    return value
  }
}

function compileCast(node: Node<'cast'>, cells: Cells): Evaluator {
  const child = compile(node.child, cells)
  const cast = makeCast(node.child.type, node.type, node.safe, node.timeZone ?? 'UTC')
  return (row) => {
    const value = child(row)
    return value === null ? null : cast(value)
  }
}

function compileCase(node: Node<'case'>, cells: Cells): Evaluator {
  const whens = node.branches.map((branch) => compile(branch.when, cells))
  const thens = node.branches.map((branch) => compile(branch.then, cells))
  const otherwise = compile(node.otherwise, cells)
  return (row) => {
    for (let i = 0; i < whens.length; i++) if (whens[i]!(row) === true) return thens[i]!(row)
    return otherwise(row)
  }
}

function compileCall(node: Node<'call'>, cells: Cells): Evaluator {
  const entry = findFunction(node.name)
  assert(entry !== undefined, `the function ${node.name} is in the table`)
  const evaluators = node.args.map((arg) => (arg.kind === 'lambda' ? () => null : compile(arg, cells)))
  const shape: CallShape = {
    args: node.args,
    types: node.args.map((arg) => arg.type),
    type: node.type,
    zone: zoneOf(node.timeZone ?? 'UTC'),
    evaluators,
    lambda: (index) => compileLambda(node.args[index]!, cells),
  }
  if (entry.lazy !== undefined) return entry.lazy(shape)
  assert(entry.strict !== undefined, `the function ${node.name} has an evaluator`)
  return strictCall(entry.strict(shape), evaluators)
}

function compileLambda(node: BoundExpression, cells: Cells): (row: Row, ...params: Value[]) => Value {
  assert(node.kind === 'lambda', 'the argument is a lambda')
  const own = node.params.map(() => ({ value: null as Value }))
  const body = compile(node.body, new Map([...cells, ...node.params.map((param, i) => [param.name, own[i]!] as const)]))
  return (row, ...params) => {
    for (let i = 0; i < own.length; i++) own[i]!.value = params[i] ?? null
    return body(row)
  }
}

/** A call whose arguments are all needed and whose NULLs give NULL. */
function strictCall(evaluate: (...values: NotNull[]) => Value, evaluators: readonly Evaluator[]): Evaluator {
  const [a, b, c] = evaluators
  switch (evaluators.length) {
    case 0:
      return () => evaluate()
    case 1:
      return (row) => {
        const x = a!(row)
        return x === null ? null : evaluate(x)
      }
    case 2:
      return (row) => {
        const x = a!(row)
        if (x === null) return null
        const y = b!(row)
        return y === null ? null : evaluate(x, y)
      }
    case 3:
      return (row) => {
        const x = a!(row)
        if (x === null) return null
        const y = b!(row)
        if (y === null) return null
        const z = c!(row)
        return z === null ? null : evaluate(x, y, z)
      }
    default:
      return (row) => {
        const values: NotNull[] = []
        for (const evaluator of evaluators) {
          const value = evaluator(row)
          if (value === null) return null
          values.push(value)
        }
        return evaluate(...values)
      }
  }
}
