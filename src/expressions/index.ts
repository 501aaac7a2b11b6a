export { commonTypeWithoutText } from './bind/coercion.ts'
export {
  type BindOptions,
  bindExpression,
  bindPredicate,
  bindScoped,
  bindScopedCondition,
  childrenOf,
  columnsOf,
} from './bind/index.ts'
export { mapBound } from './bind/map-bound.ts'
export { type Cast, type CastOptions, canCast, castValue, makeCast } from './cast/index.ts'
export { compileEvaluator, evaluate } from './evaluate/index.ts'
export {
  type BoundExpression,
  type Expression,
  type ExpressionType,
  type IntervalType,
  isInterval,
  type Span,
} from './expression.ts'
export type { FunctionEntry } from './functions/entry.ts'
export { findFunction, functionTable } from './functions/table.ts'
export { mapChildren } from './map-children.ts'
export { mapColumns } from './map-columns.ts'
export { ExpressionParser } from './parser/expression-parser.ts'
export { parseDataType, parseExpression, parseTableSchema } from './parser/index.ts'
export { tokensFrom } from './parser/lexer.ts'
export { positionOf, syntaxError } from './parser/syntax-error.ts'
export type { TokenReader } from './parser/token-reader.ts'
export { readType } from './parser/type-parser.ts'
export { parameterText, printExpression, printName } from './print.ts'
export { jointSchema, type Scope } from './scope.ts'
