/** `schema`, `detail`, `history` and `files` of a lake. */
import {
  columnTypeText,
  concernsTable,
  type DataFile,
  type LakeColumn,
  type LakeTable,
  type SnapshotInfo,
} from '../../ducklake/index.ts'
import { printSchema } from '../../schema/index.ts'
import { formatTimestamp } from '../../support/index.ts'
import type { CliContext } from '../cli-command.ts'
import { formatBytes, formatCount, plural } from '../output/sizes.ts'
import { type Cell, printFacts, printTable } from '../output/text-table.ts'
import { type LakeReadOptions, withLake, withLakeTable } from './open-lake.ts'

export async function lakeSchema(location: string, options: LakeReadOptions, context: CliContext): Promise<number> {
  return await withLakeTable(location, options, context, async ({ lake, snapshot, table }) => {
    if (context.globals.json) {
      const { schema } = await lake.scan(snapshot, table).open()
      const fields = schema.fields.map((field, i) => {
        const column = table.columns[i]!
        const metadata = {
          'ducklake.type': columnTypeText(column),
          'ducklake.id': column.id,
          ...(column.comment !== undefined && { comment: column.comment }),
        }
        return { ...field, metadata: { ...field.metadata, ...metadata } }
      })
      await context.output.line(printSchema({ ...schema, fields: fields as never }))
      return 0
    }
    const columns = ['column', 'type', 'nullable', 'default', 'comment'].map((name) => ({ name }))
    await printTable(context.output, columns, table.columns.map(columnCells))
    return 0
  })
}

function columnCells(column: LakeColumn): Cell[] {
  const { name, nullable, defaultValue, comment } = column
  return [name, columnTypeText(column), nullable ? 'yes' : 'no', defaultValue ?? '', comment ?? '']
}

export async function lakeHistory(
  location: string,
  { limit, ...options }: LakeReadOptions & { readonly limit?: number },
  context: CliContext,
): Promise<number> {
  return await withLake(location, options, context, async (lake, name) => {
    const table = name === undefined ? undefined : await (await lake.snapshot()).table(name)
    const all = (await lake.snapshots(table === undefined ? limit : undefined)).reverse()
    const own = table === undefined ? all : all.filter((info) => concernsTable(info.changes, pathOf(table)))
    const infos = limit === undefined ? own : own.slice(0, limit)
    if (context.globals.json) {
      for (const info of infos) await context.output.line(JSON.stringify(historyJson(info)))
      return 0
    }
    const columns = ['version', 'timestamp', 'changes', 'author', 'message'].map((column) => ({ name: column }))
    const cells = infos.map((info): Cell[] => {
      return [String(info.id), timeText(info), info.changes, info.author ?? '', info.message ?? '']
    })
    await printTable(context.output, columns, cells)
    return 0
  })
}

function pathOf(table: LakeTable) {
  return { id: table.id, path: [...table.schema.parts, table.tableName] }
}

function timeText({ timeMicros }: SnapshotInfo): string {
  return `${formatTimestamp(timeMicros)}`.replace(' ', 'T').replace(/Z?$/, 'Z')
}

function historyJson(info: SnapshotInfo) {
  return {
    version: info.id,
    timestamp: timeText(info),
    changes: info.changes,
    schemaVersion: info.schemaVersion,
    author: info.author ?? null,
    message: info.message ?? null,
    extraInfo: info.extraInfo ?? null,
  }
}

export async function lakeDetail(location: string, options: LakeReadOptions, context: CliContext): Promise<number> {
  return await withLake(location, options, context, async (lake, name) => {
    const snapshot = await lake.snapshot(options)
    const { catalog, access } = lake
    const common = {
      catalog: catalog.file.shown,
      dataPath: access.dataPath,
      ducklake: lake.format,
      storage: catalog.storage?.needs ?? 'sqlite',
      encrypted: lake.metadata.get('encrypted') === 'true',
      snapshot: snapshot.id,
    }
    const table = name === undefined ? undefined : await snapshot.table(name)
    const record =
      table === undefined
        ? {
            ...common,
            schemas: snapshot.schemas().map((schema) => schema.name),
            tables: (await snapshot.tables()).map((one) => one.name),
            views: (await snapshot.views()).map((view) => view.name),
            macros: (await snapshot.macros()).map((macro) => macro.name),
          }
        : { ...common, ...(await tableFacts(table)) }
    if (context.globals.json) await context.output.line(JSON.stringify(record))
    else
      await printFacts(
        context.output,
        Object.entries(record).map(([key, value]) => [key, cellOf(value)] as const),
      )
    return 0

    async function tableFacts(found: LakeTable) {
      const files = await lake.filesOf(snapshot, found)
      return {
        table: found.name,
        id: found.id,
        uuid: found.uuid ?? null,
        comment: found.comment ?? null,
        partitionColumns: await lake.partitionKeys(snapshot, found),
        numFiles: files.length,
        sizeInBytes: files.reduce((sum, file) => sum + file.size, 0),
        numDeleteFiles: files.reduce((sum, file) => sum + file.deletes.length, 0),
      }
    }
  })
}

function cellOf(value: unknown): Cell {
  if (value === null) return ''
  return Array.isArray(value) ? value.join(', ') || 'none' : String(value)
}

export async function lakeFiles(
  location: string,
  { where, explain, ...options }: LakeReadOptions & { readonly where?: string; readonly explain?: boolean },
  context: CliContext,
): Promise<number> {
  return await withLakeTable(location, options, context, async ({ lake, snapshot, table }) => {
    const chosen = await lake.filesOf(snapshot, table, where)
    const all = explain ? await lake.filesOf(snapshot, table) : chosen
    const read = new Set(chosen.map(({ id }) => id))
    const records = all.map((file) => fileRecord(file, read.has(file.id)))
    if (context.globals.json) for (const record of records) await context.output.line(JSON.stringify(record))
    else {
      const columns = [
        ...(explain ? [{ name: 'read' }] : []),
        { name: 'path' },
        { name: 'size', align: 'right' as const },
        { name: 'rows', align: 'right' as const },
        { name: 'deleted', align: 'right' as const },
      ]
      await printTable(
        context.output,
        columns,
        records.map((record) => [
          ...(explain ? [record.read ? 'read' : 'skip'] : []),
          record.path,
          formatBytes(record.size),
          formatCount(record.numRecords),
          record.deleted === 0 ? '' : formatCount(record.deleted),
        ]),
      )
    }
    await context.output.flush()
    const bytes = chosen.reduce((sum, file) => sum + file.size, 0)
    const summary = `${plural(chosen.length, 'file')}, ${formatBytes(bytes)}`
    context.note(explain ? `${summary} of ${plural(all.length, 'file')} are read` : summary)
    return 0
  })
}

function fileRecord(file: DataFile, read: boolean) {
  return {
    id: file.id,
    path: file.place.path,
    size: file.size,
    numRecords: file.recordCount,
    beginSnapshot: file.begin,
    deleted: file.deletes.reduce((sum, deletes) => sum + deletes.count, 0),
    deleteFiles: file.deletes.map(({ place, format, count }) => ({ path: place.path, format, count })),
    read,
  }
}
