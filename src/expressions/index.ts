export type { BoundExpression, Expression, ExpressionType, IntervalType, Span } from './expression.ts'
