export { type JsEngineOptions, jsEngine } from './engine.ts'
export { jsLogEngine } from './log-engine.ts'
