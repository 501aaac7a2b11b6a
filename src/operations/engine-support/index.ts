export {
  type AskedFeatures,
  type EngineSupport,
  engineSupport,
  type FeatureSupport,
  featureSupport,
} from './engine-support.ts'
export { type KnownEngine, knownEngines, type Since } from './known-engines.ts'
