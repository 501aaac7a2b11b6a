/** The session of one command: the engine of Node with the limits the command line sets. */
import { nodeEngine, openSession, type Session } from '../session/index.ts'
import { duckDbOptions, type GlobalOptions } from './globals.ts'

export function openCommandSession(globals: GlobalOptions, onWarning: (text: string) => void): Session {
  const { now } = globals
  const engine = nodeEngine(duckDbOptions(globals))
  return openSession({ engine, onWarning, ...(now !== undefined && { clock: { now: () => now } }) })
}
