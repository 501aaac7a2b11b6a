export { duckdbEngine } from './engine.ts'
export type { DuckDbOptions } from './instance.ts'
export { duckdbEvaluator, type ExpressionEvaluator } from './query/evaluate.ts'
export type { CacheOptions } from './scan/block-cache.ts'
