/** Tables by their name in Unity Catalog, where the configuration file of the command line names a workspace. */
import { openUnityLocation, UnityCatalog } from '../catalog/index.ts'
import { deltaError } from '../errors/index.ts'
import { type ObjectStore, retrying } from '../storage/index.ts'
import { credentialLookup } from '../worker/index.ts'
import type { UnityOptions } from './globals.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** One workspace is signed in to once, however many tables a command opens. */
export function unityLocations(options: UnityOptions | undefined, env: Environment) {
  let catalog: UnityCatalog | undefined
  /** @param location `unity:catalog.schema.table` */
  return async (location: string): Promise<ObjectStore> => {
    const name = location.slice('unity:'.length)
    if (!/^[^.]+\.[^.]+\.[^.]+$/.test(name)) throw deltaError('WORKER_CONFIG_UNITY_TABLE', { table: name })
    if (options === undefined) {
      const reason = 'no workspace is known: give unityCatalog in the configuration file (--config, bayou.json)'
      throw deltaError('LAKE_INVALID_LOCATION', { location: JSON.stringify(location), reason })
    }
    const { workspace, clientId, clientSecret, region, endpoint } = options
    catalog ??= new UnityCatalog({ workspace, clientId, clientSecret: () => secretOf(clientSecret, env) })
    const bucket = { region, ...(endpoint !== undefined && { endpoint }) }
    return retrying(await openUnityLocation(catalog, name, bucket))
  }
}

function secretOf(name: string, env: Environment): string {
  const secret = credentialLookup(env)(name)
  if (secret) return secret
  const cause = `neither a variable nor a stored secret is called ${name}`
  throw deltaError('LAKE_STORAGE_ACCESS_DENIED', { operation: 'signing in', key: 'Unity Catalog', cause })
}
