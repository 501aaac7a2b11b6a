/** The client of NATS, optional packages: loaded when a source first needs them, set up as the source's settings say. */
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node'
import { causeText, deltaError, isDeltaError } from '../../../errors/index.ts'
import { delay, encodeUtf8, SECOND_MS } from '../../../support/index.ts'
import type { SourceOfType } from '../../config/config.ts'
import { type CredentialLookup, sourceCredential } from '../../secrets.ts'

export type NatsConfig = SourceOfType<'nats'>

export interface NatsClient {
  readonly connection: NatsConnection
  readonly manager: JetStreamManager
  readonly jetStream: JetStreamClient
}

const FLUSH_MS = 5 * SECOND_MS

/**
 * Connects. A connection that breaks later is made again by the client, without end.
 *
 * @throws DeltaError `LAKE_PACKAGE_MISSING`, `WORKER_SOURCE_CREDENTIAL_MISSING`, `WORKER_SOURCE_FAILED`
 */
export async function connectNats(config: NatsConfig, lookup: CredentialLookup): Promise<NatsClient> {
  const { transport, jetStream } = await loadClient()
  const { tls, tlsCaFile } = config
  const isTls = tls || tlsCaFile !== undefined
  const signIn = signInOf(config, lookup, transport.credsAuthenticator)
  try {
    const connection = await transport.connect({
      servers: [...config.servers],
      name: `bayou ${config.durable}`,
      maxReconnectAttempts: -1,
      ...signIn,
      ...(isTls && { tls: tlsCaFile === undefined ? {} : { caFile: tlsCaFile } }),
    })
    const manager = await jetStream.jetstreamManager(connection, { checkAPI: false })
    return { connection, manager, jetStream: manager.jetstream() }
  } catch (cause) {
    throw failed(config, cause)
  }
}

/** What was published is sent first, as long as a server is there to take it; acknowledgements that are lost are made up for. */
export async function disconnect({ connection }: NatsClient): Promise<void> {
  if (connection.isClosed()) return
  const waiting = new AbortController()
  await Promise.race([connection.flush().catch(() => undefined), delay(FLUSH_MS, waiting.signal)])
  waiting.abort()
  await connection.close()
}

async function loadClient() {
  try {
    const [transport, jetStream] = await Promise.all([import('@nats-io/transport-node'), import('@nats-io/jetstream')])
    return { transport, jetStream }
  } catch (cause) {
    const name = '@nats-io/transport-node @nats-io/jetstream'
    throw deltaError('LAKE_PACKAGE_MISSING', { name, what: 'NATS sources' }, { cause })
  }
}

type CredsAuthenticator = typeof import('@nats-io/transport-node').credsAuthenticator

function signInOf(config: NatsConfig, lookup: CredentialLookup, creds: CredsAuthenticator): ConnectionOptions {
  const credential = (name: string, what: string) => sourceCredential(lookup, config.id, what, name)
  const { user, password, token, credentials } = config
  return {
    ...(user !== undefined && { user: credential(user, 'user name') }),
    ...(password !== undefined && { pass: credential(password, 'password') }),
    ...(token !== undefined && { token: credential(token, 'token') }),
    ...(credentials !== undefined && { authenticator: creds(encodeUtf8(credential(credentials, 'credentials'))) }),
  }
}

export function failed({ id: source }: NatsConfig, cause: unknown) {
  if (isDeltaError(cause)) return cause
  return deltaError('WORKER_SOURCE_FAILED', { source, cause: causeText(cause) }, { cause })
}
