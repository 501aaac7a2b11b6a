/** The session of one command: the engine of Node with the limits the command line sets, and stores by address. */
import { openLocation } from '../catalog/index.ts'
import { nodeEngine, openSession, type Session } from '../session/index.ts'
import { duckDbOptions, type GlobalOptions } from './globals.ts'

type Environment = Readonly<Record<string, string | undefined>>

export function openCommandSession(
  globals: GlobalOptions,
  env: Environment,
  onWarning: (text: string) => void,
): Session {
  const { now, user, unityCatalog } = globals
  const engine = nodeEngine(duckDbOptions(globals))
  let byName: ReturnType<typeof import('./unity-location.ts').unityLocations> | undefined
  const openStore = async (location: string) => {
    if (!/^unity:/.test(location)) return openLocation(location, env)
    // most commands never need it
    const { unityLocations } = await import('./unity-location.ts')
    byName ??= unityLocations(unityCatalog, env)
    return await byName(location)
  }
  return openSession({
    engine,
    openStore,
    onWarning,
    ...(user !== undefined && { userName: user }),
    ...(now !== undefined && { clock: { now: () => now } }),
  })
}
