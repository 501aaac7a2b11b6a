/** The client of Kafka, an optional package: loaded when a source first needs it, set up as the source's settings say. */
import { readFileSync } from 'node:fs'
import type * as Client from '@platformatic/kafka'
import { causeText, deltaError, isDeltaError } from '../../../errors/index.ts'
import type { SourceOfType } from '../../config/config.ts'
import { type CredentialLookup, sourceCredential } from '../../secrets.ts'

export type KafkaConfig = SourceOfType<'kafka'>
export type KafkaConsumer = Client.Consumer
export type KafkaStream = Client.MessagesStream<Buffer, Buffer, Buffer, Buffer>

/** How much one answer of a broker may hold, which is read before anything can be handed on. */
const FETCH_BYTES = 8 * 1024 * 1024
const PARTITION_BYTES = 1024 * 1024
/** Messages whose transaction was given up are left out. */
const READ_COMMITTED = 1

/** @throws DeltaError `LAKE_PACKAGE_MISSING`, `WORKER_SOURCE_CREDENTIAL_MISSING`, `WORKER_SOURCE_FAILED` */
export async function openConsumer(config: KafkaConfig, lookup: CredentialLookup): Promise<KafkaConsumer> {
  const { Consumer } = await loadClient()
  const { tls, sasl } = securityOf(config, lookup)
  return new Consumer({
    groupId: config.groupId,
    clientId: config.clientId,
    bootstrapBrokers: [...config.brokers],
    autocommit: false,
    isolationLevel: READ_COMMITTED,
    maxBytes: FETCH_BYTES,
    maxBytesPerPartition: PARTITION_BYTES,
    maxWaitTime: config.maxWaitMs,
    sessionTimeout: config.sessionTimeoutMs,
    rebalanceTimeout: config.rebalanceTimeoutMs,
    heartbeatInterval: Math.ceil(config.sessionTimeoutMs / 10),
    ...(tls && { tls }),
    ...(sasl && { sasl }),
  })
}

async function loadClient(): Promise<typeof Client> {
  const missing = { name: '@platformatic/kafka', what: 'Kafka sources' }
  // under older lines of Node the client loads, and fails at its first call
  if (!('withResolvers' in Promise)) throw deltaError('LAKE_PACKAGE_MISSING', missing)
  try {
    return await import('@platformatic/kafka')
  } catch (cause) {
    throw deltaError('LAKE_PACKAGE_MISSING', missing, { cause })
  }
}

function securityOf(config: KafkaConfig, lookup: CredentialLookup) {
  const { id, saslMechanism, saslUsername, saslPassword, tlsCaFile } = config
  const sasl =
    saslMechanism === undefined
      ? undefined
      : {
          mechanism: saslMechanism,
          username: sourceCredential(lookup, id, 'user name', saslUsername),
          password: sourceCredential(lookup, id, 'password', saslPassword),
        }
  const isTls = config.tls || tlsCaFile !== undefined
  return { sasl, tls: isTls ? { ...(tlsCaFile !== undefined && { ca: readCa(id, tlsCaFile) }) } : undefined }
}

function readCa(source: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw deltaError('WORKER_SOURCE_FAILED', { source, cause: causeText(cause) }, { cause })
  }
}

/** What the client says is wrong, with what it wraps, each sentence once. */
export function kafkaErrorText(error: unknown): string {
  if (isDeltaError(error)) return error.message
  const texts = new Set<string>()
  const collect = (found: unknown): void => {
    texts.add(causeText(found))
    if (found instanceof AggregateError) for (const inner of found.errors) collect(inner)
    else if (found instanceof Error && found.cause !== undefined) collect(found.cause)
  }
  collect(error)
  return [...texts].slice(0, 4).join(': ')
}
