/** What a table is after a restore: the old state, but for what must never be given out or lowered again. */
import {
  type DomainMetadata,
  findProperty,
  IDENTITY_MARK,
  type Metadata,
  mergeProtocols,
  type Protocol,
  property,
  ROW_TRACKING_DOMAIN,
  type Snapshot,
} from '../../kernel/index.ts'
import { findField, parseSchema, printSchema, type StructField } from '../../schema/index.ts'
import { identityNumber } from '../rules/index.ts'

/** The features of both versions: a protocol never gets lower. */
export function restoredProtocol(latest: Snapshot, target: Snapshot, path: string): Protocol {
  return mergeProtocols(latest.protocol, target.protocol, { table: target, path })
}

/** The old metadata; marks of identity columns and the highest column id stay at what was given out. */
export function restoredMetadata(latest: Snapshot, target: Snapshot): Metadata {
  const { metadata } = target
  const schemaString = metadata.schemaString && withIdentityMarks(metadata.schemaString, latest)
  const configuration = restoredConfiguration(latest.metadata.configuration, metadata.configuration)
  return { ...metadata, id: latest.metadata.id, ...(schemaString && { schemaString }), configuration }
}

function restoredConfiguration(
  now: ReadonlyMap<string, string>,
  then: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const result = new Map(then)
  const highest = Math.max(
    property(now, 'columnMapping.maxColumnId') ?? 0,
    property(then, 'columnMapping.maxColumnId') ?? 0,
  )
  if (highest > 0 && property(then, 'columnMapping.mode') !== 'none') {
    replaceProperty(result, 'columnMapping.maxColumnId', String(highest))
  }
  keepEnablement(result, now, then)
  const { checkpointProtection } = PROTECTION
  const protectedBefore = findProperty(now, checkpointProtection)
  if (protectedBefore !== undefined) replaceProperty(result, checkpointProtection, protectedBefore)
  return result
}

const PROTECTION = { checkpointProtection: 'requireCheckpointProtectionBeforeVersion' } as const
const ENABLEMENT = ['inCommitTimestampEnablementVersion', 'inCommitTimestampEnablementTimestamp'] as const

/** Since when times are in the commits is a fact of the log and not of the version that comes back. */
function keepEnablement(
  result: Map<string, string>,
  now: ReadonlyMap<string, string>,
  then: ReadonlyMap<string, string>,
): void {
  if (!property(then, 'enableInCommitTimestamps') || !property(now, 'enableInCommitTimestamps')) return
  for (const name of ENABLEMENT) replaceProperty(result, name, findProperty(now, name))
}

function replaceProperty(
  configuration: Map<string, string>,
  name: Parameters<typeof findProperty>[1],
  value: string | undefined,
): void {
  const key = `delta.${name}`
  for (const known of [...configuration.keys()]) {
    if (known.toLowerCase() === key.toLowerCase()) configuration.delete(known)
  }
  if (value !== undefined) configuration.set(key, value)
}

function withIdentityMarks(schemaString: string, latest: Snapshot): string {
  const schema = parseSchema(schemaString)
  const fields = schema.fields.map((field) => withMark(field, findField(latest.schema, field.name)))
  const isSame = fields.every((field, i) => field === schema.fields[i])
  return isSame ? schemaString : printSchema({ ...schema, fields })
}

function withMark(field: StructField, now: StructField | undefined): StructField {
  const mark = identityNumber(now?.metadata[IDENTITY_MARK])
  const step = identityNumber(field.metadata['delta.identity.step'])
  if (mark === undefined || step === undefined || now === undefined) return field
  const old = identityNumber(field.metadata[IDENTITY_MARK])
  const isFurther = old === undefined || (step < 0n ? mark < old : mark > old)
  if (!isFurther) return field
  return { ...field, metadata: { ...field.metadata, [IDENTITY_MARK]: now.metadata[IDENTITY_MARK]! } }
}

/** Domains that differ; how far row ids have been given out stays. */
export function restoredDomains(latest: Snapshot, target: Snapshot): readonly DomainMetadata[] {
  const isOurs = ({ domain }: DomainMetadata) => domain !== ROW_TRACKING_DOMAIN
  const back = [...target.domains.values()].filter(
    (domain) => isOurs(domain) && latest.domains.get(domain.domain)?.configuration !== domain.configuration,
  )
  const gone = [...latest.domains.values()].filter((domain) => isOurs(domain) && !target.domains.has(domain.domain))
  return [...back, ...gone.map((domain) => ({ ...domain, removed: true }))]
}
