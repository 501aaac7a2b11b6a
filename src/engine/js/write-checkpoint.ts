/** Writes actions as one Parquet file, a bounded number of rows at a time. */
import {
  type Action,
  type AddFile,
  type CheckpointWriteOptions,
  partitionValuesRow,
  statisticsRow,
} from '../../kernel/index.ts'
import { ParquetWriter } from '../../parquet/index.ts'
import { type DataType, type MapEntry, type StructType, structType, type Value } from '../../schema/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import { checkpointColumns, isCheckpointKind, PARSED_PARTITION_VALUES, PARSED_STATS } from './checkpoint-schema.ts'

/** Rows are columns of JavaScript values until a row group is full, then bytes. */
const ROW_GROUP_ROWS = 20_000

/** `LogEngine.writeCheckpoint` over one store. */
export async function writeCheckpoint(
  store: ObjectStore,
  key: string,
  pages: AsyncIterable<readonly Action[]>,
  options: CheckpointWriteOptions,
): Promise<{ size: number; numActions: number }> {
  const columns = checkpointColumns(options)
  const writer = new ParquetWriter(structType(columns))
  const names = columns.map((column) => column.name)
  let group: Value[][] = columns.map(() => [])
  let numActions = 0
  for await (const page of pages) {
    for (const action of page) {
      const kind = Object.keys(action)[0] as keyof typeof action
      if (!isCheckpointKind(kind) || !names.includes(kind)) continue
      const body = (action as Readonly<Record<string, object>>)[kind]!
      columns.forEach((column, i) => {
        group[i]!.push(column.name === kind ? structValue(body, column.type as StructType) : null)
      })
      numActions++
      if (group[0]!.length < ROW_GROUP_ROWS) continue
      writer.writeRowGroup(group)
      group = columns.map(() => [])
    }
  }
  writer.writeRowGroup(group)
  const bytes = writer.finish()
  await store.put(key, bytes)
  return { size: bytes.length, numActions }
}

function structValue(body: object, type: StructType): Value {
  const members = body as Readonly<Record<string, unknown>>
  return type.fields.map((member) => {
    if (member.name === PARSED_STATS) return statisticsRow(body as AddFile, member.type as StructType)
    if (member.name === PARSED_PARTITION_VALUES) return partitionValuesRow(body as AddFile, member.type as StructType)
    return memberValue(members[member.name], member.type)
  })
}

/** A member of an action as the value of its column: integers widened, maps as entries. */
function memberValue(member: unknown, type: DataType): Value {
  if (member === undefined || member === null) return null
  if (type.kind === 'struct') return structValue(member, type)
  if (type.kind === 'long') return BigInt(member as number | bigint)
  if (type.kind !== 'map') return member as Value
  return Array.from(member as ReadonlyMap<string, string | null>, ([key, value]): MapEntry => ({ key, value }))
}
