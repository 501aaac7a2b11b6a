export { type FaultPlan, type FaultyStore, faulty } from './faulty.ts'
export { type MeasuredStore, type MethodMeasure, measured, type StoreMethod } from './measured.ts'
export { type RetryPolicy, retrying } from './retrying.ts'
