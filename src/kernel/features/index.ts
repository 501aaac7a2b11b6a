export { validateReadable, validateReadableSchema } from './read-gate.ts'
export { findFeature, supportsFeature, tableFeatures } from './registry.ts'
export type { FeatureTable, TableFeature } from './table-feature.ts'
export { isWidening } from './type-widening.ts'
