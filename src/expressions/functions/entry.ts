/**
 * What the table of functions says of one function: its name, how many arguments it takes, how it binds, how it is
 * evaluated. Operators are functions like any other.
 */
import { deltaError } from '../../errors/index.ts'
import type { Row, Value } from '../../schema/index.ts'
import { coerce } from '../bind/coercion.ts'
import type { Expected } from '../bind/expected.ts'
import { typeText } from '../cast/rules.ts'
import type { Zone } from '../datetime/zone.ts'
import type { BoundExpression, ExpressionType } from '../expression.ts'

export type NotNull = Exclude<Value, null>
export type Evaluator = (row: Row) => Value

/** What is known of a call while it is bound. */
export interface CallSite {
  /** the function's name as written */
  readonly name: string
  /** the session's time zone */
  readonly timeZone: string
  /** binds an argument that is a lambda, its parameters having these types */
  lambda(index: number, params: readonly ExpressionType[]): BoundExpression
  /** how many parameters the lambda at an index has; undefined where the argument is none */
  lambdaArity(index: number): number | undefined
}

/** What is known of a call while its evaluator is made. */
export interface CallShape {
  readonly args: readonly BoundExpression[]
  readonly types: readonly ExpressionType[]
  readonly type: ExpressionType
  readonly zone: Zone
  /** the evaluators of the arguments; for a lambda see `lambdas` */
  readonly evaluators: readonly Evaluator[]
  /** for an argument that is a lambda: sets its parameters and evaluates its body */
  lambda(index: number): (row: Row, ...params: Value[]) => Value
}

export interface FunctionEntry {
  readonly name: string
  readonly aliases?: readonly string[]
  /** fewest and most arguments */
  readonly arity: readonly [number, number]
  /** whether its answer hangs on the session's time zone */
  readonly zoned?: boolean
  /** the bound call (arguments cast, type set), or another expression that means the same */
  bind(args: readonly BoundExpression[], site: CallSite): BoundExpression
  /** its evaluator: NULL arguments give NULL and never reach it */
  strict?(shape: CallShape): (...values: NotNull[]) => Value
  /** its evaluator where NULLs matter or not every argument is needed */
  lazy?(shape: CallShape): Evaluator
}

/** A call node. */
export function callOf(name: string, args: readonly BoundExpression[], type: ExpressionType): BoundExpression {
  return { kind: 'call', name, args, type }
}

/** Arguments cast to what is expected of them; the last expectation holds for all that follow. */
export function castArguments(
  args: readonly BoundExpression[],
  expected: readonly Expected[],
  name: string,
): BoundExpression[] {
  return args.map((arg, i) => castArgument(arg, expected[Math.min(i, expected.length - 1)]!, name, i))
}

export function castArgument(arg: BoundExpression, expected: Expected, name: string, index: number): BoundExpression {
  if (expected.accepts(arg.type)) return arg
  if (arg.type.kind === 'void') return coerce(arg, expected.nothing)
  const target = expected.castFrom(arg.type)
  if (target !== undefined) return coerce(arg, target)
  throw unexpectedInput(name, index, expected.text, arg.type)
}

export function unexpectedInput(name: string, index: number, expected: string, type: ExpressionType): Error {
  return deltaError('DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE', {
    name,
    position: index + 1,
    expected,
    actual: typeText(type),
  })
}

export interface SimpleSpec {
  readonly name: string
  readonly aliases?: readonly string[]
  /** what is expected of each argument; the last holds for all that follow */
  readonly takes: readonly Expected[]
  /** fewest arguments, where not all of `takes` are needed */
  readonly least?: number
  /** most arguments, where more than `takes` are allowed */
  readonly most?: number
  readonly gives:
    | ExpressionType
    | ((types: readonly ExpressionType[], args: readonly BoundExpression[]) => ExpressionType)
  readonly zoned?: boolean
  strict?(shape: CallShape): (...values: NotNull[]) => Value
  lazy?(shape: CallShape): Evaluator
}

/** A function that takes arguments by `takes` and gives a type that follows from theirs. */
export function simple(spec: SimpleSpec): FunctionEntry {
  const { gives, takes } = spec
  return {
    ...spec,
    arity: [spec.least ?? takes.length, spec.most ?? takes.length],
    bind(given, site) {
      const args = castArguments(given, takes, site.name)
      const types = args.map((arg) => arg.type)
      return callOf(spec.name, args, typeof gives === 'function' ? gives(types, args) : gives)
    },
  }
}
