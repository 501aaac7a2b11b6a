export { nodeEngine } from './node-engine.ts'
export { openSession, type Session, type SessionOptions } from './session.ts'
