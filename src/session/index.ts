export { openSession, type Session, type SessionOptions } from './session.ts'
