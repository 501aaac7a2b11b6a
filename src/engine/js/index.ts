export { readFooter, readSchemas } from '../pruning/index.ts'
export { type JsEngineOptions, jsEngine } from './engine.ts'
export { jsLogEngine } from './log-engine.ts'
