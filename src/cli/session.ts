/** The session of one command: the engine of Node with the limits the command line sets. */
import { nodeEngine, openSession, type Session } from '../session/index.ts'
import type { GlobalOptions } from './globals.ts'

export function openCommandSession(globals: GlobalOptions, onWarning: (text: string) => void): Session {
  const { memoryLimit, threads, tempDir, now } = globals
  const engine = nodeEngine({
    ...(memoryLimit !== undefined && { memoryLimit }),
    ...(threads !== undefined && { threads }),
    ...(tempDir !== undefined && { tempDirectory: tempDir }),
  })
  return openSession({ engine, onWarning, ...(now !== undefined && { clock: { now: () => now } }) })
}
