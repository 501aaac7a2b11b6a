/** What a clone is besides its files: the source's columns, properties and protocol, with an identity of its own. */
import {
  type DomainMetadata,
  type Metadata,
  mergeProtocols,
  type Protocol,
  planMetadataChange,
  ROW_TRACKING_DOMAIN,
  type Snapshot,
} from '../../kernel/index.ts'

interface CloneOf {
  readonly source: Snapshot
  readonly target: Snapshot | undefined
  /** set over those of the source */
  readonly properties: ReadonlyMap<string, string>
  readonly nowMs: number
  readonly path: string
}

export interface ClonedState {
  readonly metadata: Metadata
  readonly protocol: Protocol
  readonly domains: ReadonlyMap<string, DomainMetadata>
}

/** Facts about the source's own log, which the clone does not have. */
const OF_THE_LOG = [
  'delta.incommittimestampenablementversion',
  'delta.incommittimestampenablementtimestamp',
  'delta.requirecheckpointprotectionbeforeversion',
]
/** Features that speak of the source's catalog and history. */
const NOT_CLONED = ['catalogManaged', 'catalogOwned-preview', 'checkpointProtection']

/** @throws DeltaError those of `planMetadataChange` */
export function clonedState({ source, target, properties, nowMs, path }: CloneOf): ClonedState {
  const kept = [...source.configuration].filter(([key]) => !OF_THE_LOG.includes(key.toLowerCase()))
  const before = {
    protocol: withoutFeatures(source.protocol),
    metadata: { ...source.metadata, configuration: new Map(kept) },
    domains: source.domains,
  }
  const planned = planMetadataChange(before, { set: properties }, path)
  const wanted = planned.protocol ?? before.protocol
  const protocol = target === undefined ? wanted : mergeProtocols(target.protocol, wanted, { table: source, path })
  const { id, createdTime } = target?.metadata ?? { id: crypto.randomUUID(), createdTime: nowMs }
  const metadata = { ...planned.metadata, id, ...(createdTime !== undefined && { createdTime }) }
  return { metadata, protocol, domains: source.domains }
}

function withoutFeatures(protocol: Protocol): Protocol {
  const kept = (names: readonly string[]) => names.filter((name) => !NOT_CLONED.includes(name))
  const { readerFeatures, writerFeatures, ...versions } = protocol
  return {
    ...versions,
    ...(readerFeatures && { readerFeatures: kept(readerFeatures) }),
    ...(writerFeatures && { writerFeatures: kept(writerFeatures) }),
  }
}

/** Domains of a table that is replaced: those of the source; ids of rows that either has given out stay given out. */
export function clonedDomains(source: Snapshot, target: Snapshot): readonly DomainMetadata[] {
  const set = [...source.domains.values()].filter(
    ({ domain, configuration }) =>
      target.domains.get(domain)?.configuration !== configuration &&
      (domain !== ROW_TRACKING_DOMAIN || rowMark(source) > rowMark(target)),
  )
  const gone = [...target.domains.values()].filter(
    ({ domain }) => domain !== ROW_TRACKING_DOMAIN && !source.domains.has(domain),
  )
  return [...set, ...gone.map((domain) => ({ ...domain, removed: true }))]
}

function rowMark({ domains }: Snapshot): bigint {
  const text = domains.get(ROW_TRACKING_DOMAIN)?.configuration
  const mark = text === undefined ? null : /"rowIdHighWaterMark"\s*:\s*(-?\d+)/.exec(text)
  return mark === null ? -1n : BigInt(mark[1]!)
}

/** As the reference tells of the source. */
export function sourceText({ store: { location } }: Snapshot): string {
  return `delta.\`${location.startsWith('/') ? 'file:' : ''}${location}\``
}
