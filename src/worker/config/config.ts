/** The configuration of a worker, read, checked and joined: every fault at once. */
import { hostname } from 'node:os'
import { type DeltaError, deltaError, isDeltaError } from '../../errors/index.ts'
import { parseRecordType } from '../records/parse-record-type.ts'
import { formatRecordType, type StructRecord, tableSchemaOf } from '../records/record-type.ts'
import { compileRoute, type Route } from '../routes/route.ts'
import { checkBucket, checkDeltaDestination, checkPartitionBy } from './check-delta.ts'
import { checkNatsSignIn } from './check-nats.ts'
import { type Fault, isObject, Place, printValue, readSettings, type Settings, type ValuesOf } from './setting.ts'
import { destinationSettings, routeSettings, serverSettings, workerSettings } from './settings.ts'
import { sourceSettings } from './source-settings.ts'

type ByType<S extends Record<string, Settings>> = { [K in keyof S]: Omit<ValuesOf<S[K]>, 'type'> & { type: K } }

type SourceByType = ByType<typeof sourceSettings>
export type SourceConfig = {
  [K in keyof SourceByType]: SourceByType[K] & { readonly record: StructRecord }
}[keyof SourceByType]
/** A source as what reads it sees it: records of other formats are translated behind it. */
export type SourceOfType<K extends keyof SourceByType> = Omit<Extract<SourceConfig, { type: K }>, 'format'> & {
  readonly format: 'ndjson' | 'csv'
}
export type WireSourceConfig = { [K in keyof SourceByType]: SourceOfType<K> }[keyof SourceByType]
export type DestinationConfig = ByType<typeof destinationSettings>[keyof typeof destinationSettings]
export type DeltaDestinationConfig = Extract<DestinationConfig, { type: 'delta' }>
export type ServerConfig = ValuesOf<typeof serverSettings>

/** A configuration without a fault. */
export interface WorkerConfig {
  /** who the positions kept in tables belong to */
  readonly name: string
  readonly sources: readonly SourceConfig[]
  readonly routes: readonly Route[]
  readonly destinations: readonly DestinationConfig[]
  readonly server: ServerConfig | undefined
}

/**
 * Reads a configuration.
 *
 * @param json what the file holds, parsed
 * @throws the one fault, or `WORKER_CONFIG_REFUSED` with all of them in `details.errors`; each has `details.key`, and
 * `details.destination`, `details.source` or `details.route` where it stands in one
 */
export function parseWorkerConfig(json: unknown): WorkerConfig {
  const { config, faults } = checkWorkerConfig(json)
  if (config !== undefined && faults.length === 0) return config
  throw faults.length === 1 ? faults[0] : refusalOf(faults)
}

function refusalOf(faults: readonly Fault[]): DeltaError {
  const texts = faults.map((fault) => `${fault.details.key}: ${fault.message}`)
  return deltaError('WORKER_CONFIG_REFUSED', { count: faults.length, faults: texts.join('; '), errors: faults })
}

/** The faults of a configuration, in the order of their places; none: it is good. */
export function checkWorkerConfig(json: unknown): { config: WorkerConfig | undefined; faults: readonly Fault[] } {
  const faults: Fault[] = []
  const root = new Place('')
  if (!isObject(json)) {
    return { config: undefined, faults: [root.fault('WORKER_CONFIG_MALFORMED', '', { what: 'a JSON object' })] }
  }
  const values = readSettings(workerSettings, json, root, faults)
  const sources = readParts('source', values.sources, sourceSettings, faults).flatMap((part) =>
    readSource(part, faults),
  )
  const destinations = readParts('destination', values.destinations, destinationSettings, faults)
  for (const { place, value } of destinations) {
    if (value.type === 'delta') checkDeltaDestination(value as DeltaDestinationConfig, place, faults)
  }
  const routes = readRoutes(
    values.routes,
    sources,
    destinations.map(({ value }) => value.id),
    faults,
  )
  for (const part of destinations) checkRecords(part as Part<DestinationConfig>, routes, faults)
  const server = readServer(values.server, sources, faults)
  const config: WorkerConfig = {
    name: values.name ?? hostname(),
    sources,
    routes,
    destinations: destinations.map(({ value }) => value as unknown as DestinationConfig),
    server,
  }
  return { config, faults }
}

interface Part<T> {
  readonly place: Place
  readonly value: T
}

/** Reads a list of things that have an id and a type. */
function readParts(
  kind: 'source' | 'destination',
  json: unknown,
  types: Readonly<Record<string, Settings>>,
  faults: Fault[],
): Part<{ readonly id: string; readonly type: string }>[] {
  const ids = new Set<string>()
  return readList(`${kind}s`, json, faults).flatMap(({ item, path }) => {
    const id = typeof item.id === 'string' ? item.id : ''
    const place = new Place(path, id === '' ? {} : { [kind]: id })
    if (ids.has(id) && id !== '') faults.push(place.fault('WORKER_CONFIG_DUPLICATE_ID', 'id', { id }))
    ids.add(id)
    const type = typeof item.type === 'string' ? item.type : undefined
    const settings = type !== undefined && Object.hasOwn(types, type) ? types[type] : undefined
    if (settings === undefined) {
      const details = { kind, type: item.type === undefined ? 'undefined' : printValue(item.type) }
      const allowed = Object.keys(types)
      faults.push(
        item.type === undefined
          ? place.fault('WORKER_CONFIG_MISSING', 'type', { allowed: `one of ${allowed.join(', ')}` })
          : place.fault('WORKER_CONFIG_UNKNOWN_TYPE', 'type', { ...details, allowed }),
      )
      return []
    }
    return [{ place, value: readSettings(settings, item, place, faults) as unknown as { id: string; type: string } }]
  })
}

function readList(name: string, json: unknown, faults: Fault[]) {
  if (json === undefined) return []
  if (!Array.isArray(json)) {
    faults.push(new Place('').fault('WORKER_CONFIG_VALUE', name, { value: printValue(json), allowed: 'a list' }))
    return []
  }
  return (json as readonly unknown[]).flatMap((item, index) => {
    const path = `${name}[${index}]`
    if (isObject(item)) return [{ item, path }]
    faults.push(new Place('').fault('WORKER_CONFIG_VALUE', path, { value: printValue(item), allowed: 'an object' }))
    return []
  })
}

function readSource({ place, value }: Part<unknown>, faults: Fault[]): SourceConfig[] {
  const source = value as SourceConfig
  if (source.schema === undefined) return []
  if (source.delimiter.length !== 1) {
    const allowed = 'one character'
    faults.push(place.fault('WORKER_CONFIG_VALUE', 'delimiter', { value: printValue(source.delimiter), allowed }))
  }
  if (source.type === 'kafka') checkSignIn(source, place, faults)
  if (source.type === 's3') {
    checkBucket(source, place, faults)
    if (source.location !== undefined && !/^s3:\/\/[^/]+/i.test(source.location)) {
      const value = printValue(source.location)
      faults.push(place.fault('WORKER_CONFIG_VALUE', 'location', { value, allowed: 'an s3:// address' }))
    }
  }
  if (source.type === 'file' && source.rotate && !source.tail) {
    faults.push(place.fault('WORKER_CONFIG_NEEDS', 'rotate', { name: 'rotate', other: 'tail' }))
  }
  if (source.type === 'nats') checkNatsSignIn(source, place, faults)
  try {
    return [{ ...source, record: parseRecordType(source.schema) }]
  } catch (error) {
    if (!isDeltaError(error, 'WORKER_CONFIG_SCHEMA')) throw error
    faults.push(place.fault('WORKER_CONFIG_SCHEMA', 'schema', error.details))
    return []
  }
}

function checkSignIn(source: Extract<SourceConfig, { type: 'kafka' }>, place: Place, faults: Fault[]): void {
  if (source.saslMechanism === undefined) return
  for (const name of ['saslUsername', 'saslPassword'] as const) {
    if (source[name] === undefined) {
      faults.push(place.fault('WORKER_CONFIG_NEEDS', 'saslMechanism', { name: 'saslMechanism', other: name }))
    }
  }
}

function readRoutes(
  json: unknown,
  sources: readonly SourceConfig[],
  destinations: readonly string[],
  faults: Fault[],
): Route[] {
  const ids = new Set<string>()
  return readList('routes', json, faults).flatMap(({ item, path }) => {
    const named = readSettings(routeSettings, item, new Place(path), faults)
    const id = named.id ?? `${named.source}-to-${named.destination}`
    const place = new Place(path, { route: id })
    if (ids.has(id)) faults.push(place.fault('WORKER_CONFIG_DUPLICATE_ID', 'id', { id }))
    ids.add(id)
    if (named.steps !== undefined && !Array.isArray(named.steps)) {
      faults.push(place.fault('WORKER_CONFIG_VALUE', 'steps', { value: printValue(named.steps), allowed: 'a list' }))
      return []
    }
    checkReference('destination', named.destination, destinations, place, faults)
    checkReference(
      'source',
      named.source,
      sources.map((source) => source.id),
      place,
      faults,
    )
    const source = sources.find((candidate) => candidate.id === named.source)
    const steps = (named.steps ?? []) as readonly unknown[]
    const route = compileRoute({ ...named, id, input: source?.record, steps }, place, faults)
    return route === undefined ? [] : [route]
  })
}

function checkReference(kind: string, id: string | undefined, known: readonly string[], place: Place, faults: Fault[]) {
  if (id === undefined || known.includes(id)) return
  const allowed = known.length === 0 ? 'none' : known
  faults.push(place.fault('WORKER_CONFIG_UNKNOWN_REFERENCE', kind, { kind, id, allowed }))
}

/** One table has one schema: what all routes write to a destination is the same record. */
function checkRecords({ place, value }: Part<DestinationConfig>, routes: readonly Route[], faults: Fault[]): void {
  if (value.type !== 'delta') return
  const own = routes.filter((route) => route.destination === value.id)
  if (new Set(own.map((route) => formatRecordType(route.output))).size > 1) {
    faults.push(place.fault('WORKER_CONFIG_RECORDS_DIFFER', '', { routes: own.map((route) => route.id) }))
  }
  if (own[0] !== undefined) checkPartitionBy(value.partitionBy, tableSchemaOf(own[0].output), place, faults)
}

function readServer(json: unknown, sources: readonly SourceConfig[], faults: Fault[]): ServerConfig | undefined {
  const root = new Place('')
  const posting = sources.find(({ type }) => type === 'http' || type === 'otlp')
  if (json === undefined && posting !== undefined) {
    const place = new Place(`sources[${sources.indexOf(posting)}]`, { source: posting.id })
    faults.push(place.fault('WORKER_CONFIG_NEEDS', 'type', { name: `an ${posting.type} source`, other: 'a server' }))
  }
  if (json === undefined) return undefined
  if (isObject(json)) return readSettings(serverSettings, json, new Place('server'), faults)
  faults.push(root.fault('WORKER_CONFIG_VALUE', 'server', { value: printValue(json), allowed: 'an object' }))
  return undefined
}
