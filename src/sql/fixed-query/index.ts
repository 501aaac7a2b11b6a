export { type FixedOptions, type FixedRows, planFixedQuery } from './plan-query.ts'
