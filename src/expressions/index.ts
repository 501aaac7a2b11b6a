export { type BindOptions, bindExpression, bindPredicate, columnsOf } from './bind/index.ts'
export { type CastOptions, castValue } from './cast/index.ts'
export { compileEvaluator, type EvaluateContext, evaluate } from './evaluate/index.ts'
export {
  type BoundExpression,
  type Expression,
  type ExpressionType,
  type IntervalType,
  isInterval,
  type Span,
} from './expression.ts'
export { parseDataType, parseExpression, parseTableSchema } from './parser/index.ts'
export { positionOf, syntaxError } from './parser/syntax-error.ts'
export { printExpression, printName } from './print.ts'
