/**
 * Actions out of checkpoint files.
 *
 * Of a row group only the columns of wanted kinds are fetched, and none when the footer's null counts prove that it
 * holds no action of them.
 */
import {
  type Action,
  type ActionKind,
  type CheckpointFile,
  formatPartitionValue,
  parseAction,
  parseCommitText,
  type SelectOptions,
} from '../../kernel/index.ts'
import { inferType, openParquet, type ParquetReader, type RowGroup, type SchemaNode } from '../../parquet/index.ts'
import {
  type DataType,
  field,
  type MapEntry,
  type Row,
  type StructField,
  type StructType,
  structType,
  type Value,
  valueToJson,
} from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { type JsonObject, type JsonValue, throwIfAborted } from '../../support/index.ts'
import { storeFile } from '../pruning/index.ts'
import {
  type CheckpointKind,
  checkpointColumn,
  isCheckpointKind,
  PARSED_PARTITION_VALUES,
  PARSED_STATS,
  REQUIRED_MEMBER,
} from './checkpoint-schema.ts'

/** Actions handed on at once. */
const PAGE_ACTIONS = 4096

/** `LogEngine.readCheckpoint` over files of a store. */
export async function* readCheckpoint(
  store: ObjectStore,
  files: readonly CheckpointFile[],
  kinds: readonly ActionKind[],
  { signal }: SelectOptions = {},
): AsyncIterable<readonly Action[]> {
  for (const file of files) {
    throwIfAborted(signal, 'reading the checkpoint')
    if (file.format === 'json') yield* readJsonFile(store, file, kinds)
    else yield* readParquetFile(store, file, kinds.filter(isCheckpointKind), signal)
  }
}

async function* readJsonFile(
  store: ObjectStore,
  file: CheckpointFile,
  kinds: readonly ActionKind[],
): AsyncIterable<readonly Action[]> {
  const actions = parseCommitText(await store.get(file.key))
  yield actions.filter((action) => kinds.some((kind) => kind in action))
}

async function* readParquetFile(
  store: ObjectStore,
  file: CheckpointFile,
  kinds: readonly CheckpointKind[],
  signal: AbortSignal | undefined,
): AsyncIterable<readonly Action[]> {
  const reader = await openParquet(storeFile(store, file.key, file.size, { signal }))
  for (const [index, group] of reader.footer.rowGroups.entries()) {
    throwIfAborted(signal, 'reading the checkpoint')
    const present = kinds.filter((kind) => mayHold(reader, group, kind))
    if (present.length > 0) yield* readActions(reader, index, present)
  }
}

/** Whether the footer leaves it open that some row has an action of the kind. */
function mayHold(reader: ParquetReader, group: RowGroup, kind: CheckpointKind): boolean {
  const node = child(child(reader.footer.root, kind), REQUIRED_MEMBER[kind])
  if (node === undefined) return false
  const chunk = group.chunks[node.firstLeaf]!
  return chunk.statistics.nullCount === undefined || chunk.statistics.nullCount < chunk.numValues
}

function child(node: SchemaNode | undefined, name: string): SchemaNode | undefined {
  return node?.children.find((candidate) => candidate.name === name)
}

async function* readActions(
  reader: ParquetReader,
  index: number,
  kinds: readonly CheckpointKind[],
): AsyncIterable<readonly Action[]> {
  const columns = kinds.map((kind) => wantedColumn(reader, index, kind))
  const values = await reader.readRowGroup(index, columns)
  let page: Action[] = []
  for (const [at, kind] of kinds.entries()) {
    const type = columns[at]!.type as StructType
    for (const row of values[at]!) {
      const json = row === null ? undefined : actionJson(row as Row, type)
      if (json?.[REQUIRED_MEMBER[kind]] === undefined) continue
      page.push(parseAction({ [kind]: json }))
      if (page.length < PAGE_ACTIONS) continue
      yield page
      page = []
    }
  }
  if (page.length > 0) yield page
}

/** The column of a kind; for adds with the statistics and the partition that are there as a struct only. */
function wantedColumn(reader: ParquetReader, index: number, kind: CheckpointKind): StructField {
  const column = checkpointColumn(kind)
  if (kind !== 'add') return column
  const add = child(reader.footer.root, 'add')
  const { fields } = column.type as StructType
  const partition = child(add, 'partitionValues') === undefined ? child(add, PARSED_PARTITION_VALUES) : undefined
  const stats = parsedStats(reader, index, add)
  return field(
    kind,
    structType([
      ...fields,
      ...(partition ? [field(PARSED_PARTITION_VALUES, inferType(partition))] : []),
      ...(stats ? [field(PARSED_STATS, inferType(stats))] : []),
    ]),
  )
}

/** The struct of statistics, where not every add of the row group has them as text. */
function parsedStats(reader: ParquetReader, index: number, add: SchemaNode | undefined): SchemaNode | undefined {
  const chunks = reader.footer.rowGroups[index]!.chunks
  const text = child(add, 'stats')
  const nulls = (node: SchemaNode) => chunks[node.firstLeaf]!.statistics.nullCount
  const path = child(add, 'path')!
  const texts = text !== undefined && nulls(text) !== undefined && nulls(text) === nulls(path)
  return texts ? undefined : child(add, PARSED_STATS)
}

/** The members of an action that are not null, as the JSON of a commit has them. */
function actionJson(row: Row, type: StructType): JsonObject {
  const members: [string, JsonValue][] = []
  let stats: string | undefined
  for (const [i, member] of type.fields.entries()) {
    const value = row[i] ?? null
    if (value === null) continue
    if (member.name === PARSED_STATS) stats = statsText(value, member.type)
    else if (member.name === PARSED_PARTITION_VALUES) {
      members.push(['partitionValues', partitionTexts(value as Row, member.type as StructType)])
    } else members.push([member.name, memberJson(value, member.type)])
  }
  const json = Object.fromEntries(members)
  if (stats !== undefined && json.stats === undefined) json.stats = stats
  // some writers write an absent vector as a struct of nulls
  if (isEmptyVector(json.deletionVector)) delete json.deletionVector
  return json
}

/** A partition as texts, from its typed form; an empty text stays one. */
function partitionTexts(row: Row, type: StructType): JsonObject {
  return Object.fromEntries(
    type.fields.map(({ name, type }, i) => {
      const value = row[i] ?? null
      return [name, value === '' ? '' : formatPartitionValue(value, type, name)]
    }),
  )
}

function isEmptyVector(json: JsonValue | undefined): boolean {
  return typeof json === 'object' && json !== null && !Object.hasOwn(json, 'storageType')
}

function memberJson(value: Value, type: DataType): JsonValue {
  if (value === null) return null
  if (type.kind === 'struct') return actionJson(value as Row, type)
  if (type.kind === 'array') return (value as readonly Value[]).map((item) => memberJson(item, type.element))
  if (type.kind !== 'map') return value as JsonValue
  const entries = (value as readonly MapEntry[]).map(({ key, value }): [string, JsonValue] => [
    key as string,
    memberJson(value, type.value),
  ])
  return Object.fromEntries(entries)
}

/** The text of statistics from their struct: members that are null left out, values as `add.stats` spells them. */
function statsText(value: Value, type: DataType): string | undefined {
  if (value === null) return undefined
  if (type.kind !== 'struct') return valueToJson(value, type)
  const members: string[] = []
  for (const [i, member] of type.fields.entries()) {
    const text = statsText((value as Row)[i] ?? null, member.type)
    if (text !== undefined) members.push(`${JSON.stringify(member.name)}:${text}`)
  }
  return `{${members.join(',')}}`
}
