/** Reads one table with the library itself and turns what it finds into lines for the page. */
import {
  type AddFile,
  type BoundExpression,
  bindPredicate,
  commitKey,
  type DataType,
  decodeUtf8,
  type Engine,
  explainFile,
  fileMayMatch,
  formatType,
  type HistoryEntry,
  history,
  type JsonValue,
  loadSnapshot,
  type ObjectStore,
  parseJson,
  planScan,
  printJson,
  type Snapshot,
  skippingRule,
  type Value,
  valueToText,
} from '../../src/browser.ts'
import type { CommitView, FileLine, FilePage, OpenedTable, RowPage, TableState, VersionLine } from './messages.ts'

const MAX_LISTED_FILES = 500
const MAX_KEPT_SNAPSHOTS = 4

export class TableReader {
  private readonly store: ObjectStore
  private readonly engine: Engine
  private readonly snapshots = new Map<number, Promise<Snapshot>>()

  constructor(store: ObjectStore, engine: Engine) {
    this.store = store
    this.engine = engine
  }

  async open(): Promise<OpenedTable> {
    const latest = await loadSnapshot(this.store, this.engine)
    this.snapshots.set(latest.version, Promise.resolve(latest))
    const entries = await history(this.store, this.engine)
    const checkpoints = await this.checkpointVersions()
    return { latest: latest.version, versions: entries.map((entry) => versionLine(entry, checkpoints)) }
  }

  async state(version: number): Promise<TableState> {
    const { protocol, schema, partitionColumns, configuration, files, warnings } = await this.snapshot(version)
    const { numFiles, sizeInBytes } = await files.totals()
    return {
      version,
      columns: schema.fields.map(({ name, type, nullable }) => ({
        name,
        type: formatType(type),
        nullable,
        partition: partitionColumns.includes(name),
      })),
      protocol: `reader version ${protocol.minReaderVersion}, writer version ${protocol.minWriterVersion}`,
      features: [...new Set([...(protocol.readerFeatures ?? []), ...(protocol.writerFeatures ?? [])])],
      properties: [...configuration],
      numFiles,
      sizeInBytes,
      warnings,
    }
  }

  async files(version: number, where: string): Promise<FilePage> {
    const snapshot = await this.snapshot(version)
    const rule = where === '' ? undefined : skippingRule(bindPredicate(where, snapshot.schema), snapshot.layout)
    const lines: FileLine[] = []
    let kept = 0
    for await (const page of snapshot.files.select()) {
      for (const file of page) {
        if (rule === undefined || fileMayMatch(rule, file)) kept++
        if (lines.length < MAX_LISTED_FILES) {
          lines.push(fileLine(file, rule === undefined ? null : explainFile(rule, file)))
        }
      }
    }
    const { numFiles } = await snapshot.files.totals()
    return { files: lines, total: numFiles, kept }
  }

  async commit(version: number): Promise<CommitView> {
    const file = commitKey(version)
    const text = decodeUtf8(await this.store.get(file))
    const actions = text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(actionView)
    return { version, file, actions }
  }

  async rows(version: number, where: string, offset: number, limit: number): Promise<RowPage> {
    const snapshot = await this.snapshot(version)
    const filter = where === '' ? undefined : bindPredicate(where, snapshot.schema)
    const { rows, more } = await this.readRows(snapshot, filter, offset, limit)
    return {
      columns: snapshot.schema.fields.map(({ name, type }) => ({ name, type: formatType(type) })),
      rows,
      more,
    }
  }

  /** Reads one row more than the page shows, to know whether there is a next page. */
  private async readRows(snapshot: Snapshot, filter: BoundExpression | undefined, offset: number, limit: number) {
    const { fields } = snapshot.schema
    const plan = {
      store: this.store,
      layout: snapshot.layout,
      files: await planScan(snapshot, filter),
      columns: fields.map((_, index) => index),
      limit: offset + limit + 1,
      ...(filter === undefined ? {} : { filter }),
    }
    const rows: (string | null)[][] = []
    let seen = 0
    for await (const batch of this.engine.scan(plan)) {
      for (let row = Math.max(0, offset - seen); row < batch.numRows && rows.length <= limit; row++) {
        rows.push(fields.map(({ type }, index) => cellText(batch.column(index)[row] ?? null, type)))
      }
      seen += batch.numRows
      if (rows.length > limit) break
    }
    return { rows: rows.slice(0, limit), more: rows.length > limit }
  }

  private snapshot(version: number): Promise<Snapshot> {
    const kept = this.snapshots.get(version)
    if (kept !== undefined) return kept
    const loading = loadSnapshot(this.store, this.engine, { version })
    loading.catch(() => this.snapshots.delete(version))
    this.snapshots.set(version, loading)
    this.forgetOldest()
    return loading
  }

  private forgetOldest(): void {
    if (this.snapshots.size <= MAX_KEPT_SNAPSHOTS) return
    const [oldest] = this.snapshots.keys()
    if (oldest !== undefined) this.snapshots.delete(oldest)
  }

  private async checkpointVersions(): Promise<ReadonlySet<number>> {
    const found = new Set<number>()
    if (!this.store.capabilities.list) return found
    for await (const page of this.store.list({ prefix: '_delta_log/', shallow: true })) {
      for (const { key } of page) {
        const match = /^_delta_log\/(\d{20})\.checkpoint\./.exec(key)
        if (match !== null) found.add(Number(match[1]))
      }
    }
    return found
  }
}

function versionLine(
  { version, timestampMs, commitInfo }: HistoryEntry,
  checkpoints: ReadonlySet<number>,
): VersionLine {
  const operation = commitInfo?.operation
  return {
    version,
    timestampMs,
    operation: typeof operation === 'string' ? operation : 'commit',
    detail: metricsText(commitInfo?.operationMetrics),
    checkpoint: checkpoints.has(version),
  }
}

/** Metrics a person looks for, with the words for one and for many. */
const METRIC_WORDS: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['numFiles', ['file written', 'files written']],
  ['numAddedFiles', ['file added', 'files added']],
  ['numRemovedFiles', ['file removed', 'files removed']],
  ['numOutputRows', ['row', 'rows']],
  ['numDeletedRows', ['row deleted', 'rows deleted']],
  ['numUpdatedRows', ['row updated', 'rows updated']],
])

/** `2 files written, 1000 rows`. */
function metricsText(metrics: JsonValue | undefined): string {
  if (typeof metrics !== 'object' || metrics === null || Array.isArray(metrics)) return ''
  const texts: string[] = []
  for (const [key, value] of Object.entries(metrics)) {
    const words = METRIC_WORDS.get(key)
    const count = String(value)
    if (words !== undefined && count !== '0') texts.push(`${count} ${count === '1' ? words[0] : words[1]}`)
  }
  return texts.join(', ')
}

function fileLine(file: AddFile, outcome: FileLine['outcome']): FileLine {
  const stats = file.stats === undefined ? undefined : parseStats(file.stats)
  const numRecords = typeof stats === 'object' && stats !== null && 'numRecords' in stats ? stats.numRecords : null
  return {
    path: file.path,
    size: file.size,
    numRecords: typeof numRecords === 'number' ? numRecords : null,
    deletedRows: file.deletionVector?.cardinality ?? 0,
    partition: [...file.partitionValues],
    stats: stats === undefined ? null : prettyJson(stats),
    outcome,
  }
}

/** Statistics that are not JSON are shown as the text they are. */
function parseStats(text: string): JsonValue {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

function actionView(line: string): CommitView['actions'][number] {
  const json = parseStats(line)
  const [kind, body] =
    typeof json === 'object' && json !== null ? (Object.entries(json)[0] ?? ['', null]) : ['text', null]
  return { kind, summary: actionSummary(body ?? null), json: prettyJson(json) }
}

function actionSummary(body: JsonValue): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return ''
  const members = body as Readonly<Record<string, JsonValue | undefined>>
  const shown = members.path ?? members.operation ?? members.appId ?? members.domain ?? members.id
  return typeof shown === 'string' ? shown : ''
}

/** Two-space indentation that keeps every digit of a number. */
function prettyJson(value: JsonValue, indent = ''): string {
  const inner = `${indent}  `
  if (Array.isArray(value) && value.length > 0) {
    return `[\n${value.map((item: JsonValue) => inner + prettyJson(item, inner)).join(',\n')}\n${indent}]`
  }
  const text = printJson(value)
  if (!text.startsWith('{') || text === '{}') return text
  const members = Object.entries(value as Readonly<Record<string, JsonValue>>)
  return `{\n${members.map(([key, item]) => `${inner}${JSON.stringify(key)}: ${prettyJson(item, inner)}`).join(',\n')}\n${indent}}`
}

function cellText(value: Value, type: DataType): string | null {
  return value === null ? null : valueToText(value, type)
}
