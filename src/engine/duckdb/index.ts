export { duckdbEngine } from './engine.ts'
export type { DuckDbOptions } from './instance.ts'
