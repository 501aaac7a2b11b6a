/** What the table of compiled functions says of one. */
import type { BoundExpression, ExpressionType } from '../../../../expressions/index.ts'
import type { Value } from '../../../../schema/index.ts'
import { type Fragment, failing, mayAnyFail, notCompiled } from '../fragment.ts'

/** A call being compiled. */
export interface CompiledCall {
  readonly name: string
  readonly nodes: readonly BoundExpression[]
  readonly args: readonly Fragment[]
  readonly types: readonly ExpressionType[]
  readonly type: ExpressionType
}

export interface CallForm {
  /** whether a NULL argument gives NULL and arguments behind it are not looked at */
  readonly strict: boolean
  compile(call: CompiledCall): Fragment
}

/** A strict function whose SQL fails only where an argument does. */
export function strict(sql: (args: string[], call: CompiledCall) => string): CallForm {
  return {
    strict: true,
    compile: (call) => ({ sql: sql(sqlOf(call), call), mayFail: mayAnyFail(call.args) }),
  }
}

/** A strict function whose SQL may fail by itself. */
export function checked(sql: (args: string[], call: CompiledCall) => string): CallForm {
  return { strict: true, compile: (call) => failing(sql(sqlOf(call), call)) }
}

/** A function that sees NULLs. */
export function lenient(sql: (args: string[], call: CompiledCall) => string): CallForm {
  return {
    strict: false,
    compile: (call) => ({ sql: sql(sqlOf(call), call), mayFail: mayAnyFail(call.args) }),
  }
}

export function sqlOf(call: CompiledCall): string[] {
  return call.args.map((arg) => arg.sql)
}

/** The constant an argument is, or a refusal. */
export function constantOf(call: CompiledCall, index: number): Value {
  const node = call.nodes[index]
  if (node?.kind === 'literal') return node.value
  throw notCompiled(`${call.name} with an argument ${index + 1} that is no constant`)
}

export function refuseTypes(call: CompiledCall, ...kinds: readonly string[]): void {
  for (const type of call.types)
    if (kinds.includes(type.kind)) throw notCompiled(`${call.name} of the type ${type.kind}`)
}

export const NESTED: readonly string[] = ['array', 'map', 'struct', 'variant']
