export { jsLogEngine } from './log-engine.ts'
