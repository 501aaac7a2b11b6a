/** Parquet files as the source of a write: the engine copies their rows, nothing passes through here. */
import { open, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { causeText, deltaError } from '../../errors/index.ts'
import { type AddFile, encodePath } from '../../kernel/index.ts'
import { mergeSchemas, type WriteSource } from '../../operations/index.ts'
import { inferSchema, openParquet } from '../../parquet/index.ts'
import { type DataType, type StructType, structType } from '../../schema/index.ts'
import { localStore } from '../../storage/fs/index.ts'

/**
 * Reads the footers of the files.
 *
 * @throws DeltaError `LAKE_FILE_NOT_READABLE`, `FAILED_READ_FILE.NO_HINT`, `DELTA_FAILED_TO_MERGE_FIELDS` when the files
 * differ in the type of a column
 */
export async function parquetSource(files: readonly string[], cwd: string): Promise<WriteSource> {
  let schema = structType([])
  const adds: AddFile[] = []
  for (const file of files) {
    const path = resolve(cwd, file)
    const { size, columns } = await readFooter(path, file)
    schema = mergeSchemas(schema, columns).schema
    adds.push({
      path: encodePath(path.replace(/^\//, '')),
      partitionValues: new Map(),
      size,
      modificationTime: 0,
      dataChange: true,
    })
  }
  const layout = { schema, partitionColumns: [], columnMapping: 'none' as const }
  const columns = schema.fields.map((_, i) => i)
  return {
    kind: 'rows',
    schema,
    source: { kind: 'scan', plan: { store: localStore('/'), layout, files: adds, columns } },
  }
}

async function readFooter(path: string, file: string): Promise<{ size: number; columns: StructType }> {
  if (file === '-') {
    throw deltaError('LAKE_USAGE', { problem: 'Parquet cannot come by standard input', advice: 'give a file' })
  }
  const handle = await openFile(path, file)
  try {
    const { size } = await stat(path)
    const reader = await openParquet({
      name: file,
      size,
      read: async (start: number, end: number) => {
        const { buffer, bytesRead } = await handle.read(new Uint8Array(end - start), 0, end - start, start)
        return buffer.subarray(0, bytesRead)
      },
    })
    return { size, columns: plainStruct(inferSchema(reader.footer.root)) }
  } finally {
    await handle.close()
  }
}

async function openFile(path: string, file: string) {
  try {
    return await open(path, 'r')
  } catch (cause) {
    throw deltaError('LAKE_FILE_NOT_READABLE', { file, cause: causeText(cause) }, { cause })
  }
}

/** The columns without field ids, and all nullable: a table may be given rows of other files later. */
function plainStruct(type: StructType): StructType {
  return structType(
    type.fields.map(({ name, type: inner }) => ({ name, type: plain(inner), nullable: true, metadata: {} })),
  )
}

function plain(type: DataType): DataType {
  if (type.kind === 'struct') return plainStruct(type)
  if (type.kind === 'array') return { ...type, element: plain(type.element), containsNull: true }
  return type.kind === 'map' ? { ...type, value: plain(type.value), valueContainsNull: true } : type
}
