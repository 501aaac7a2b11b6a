/**
 * Files whose days before 1582-10-15 are counted in the calendar of that time, as writers before Spark 3 left them.
 *
 * DuckDB would read such a day as another one, silently, so a file that says so in its footer and holds such a value is
 * refused. Files whose statistics show no old value are not looked at. Source: Spark, "spark.sql.parquet.*RebaseMode".
 */
import { deltaError } from '../../../errors/index.ts'
import { physicalName, type TableLayout } from '../../../kernel/index.ts'
import type { DataType, StructField } from '../../../schema/index.ts'
import { isJsonObject, type JsonValue, parseJson } from '../../../support/index.ts'
import type { DuckSession, QueryOptions } from '../instance.ts'
import { pathList, quoteIdent, quoteLiteral } from '../sql-text.ts'
import type { LocalFile } from './local-files.ts'

/** The year from which on old writers wrote what new ones do: before it they also shifted by the mean time of their zone. */
const FIRST_MODERN_YEAR = 1900
/** A file's time column by what it may hold least without being refused. */
const LIMITS = {
  date: "DATE '1582-10-15'",
  timestamp: "TIMESTAMP '1900-01-01'",
  timestamp_ntz: "TIMESTAMP '1900-01-01'",
} as const

/** @throws DeltaError `INCONSISTENT_BEHAVIOR_CROSS_VERSION.READ_ANCIENT_DATETIME` */
export async function refuseLegacyCalendar(
  session: DuckSession,
  { layout, files, ordinals }: { layout: TableLayout; files: readonly LocalFile[]; ordinals: readonly number[] },
  options: QueryOptions,
): Promise<void> {
  const columns = ordinals
    .filter((i) => !layout.hidden?.has(i))
    .map((i) => layout.schema.fields[i]!)
    .filter((field) => !layout.partitionColumns.includes(field.name) && holdsTime(field.type))
  if (columns.length === 0) return
  const names = columns.map((field) => physicalName(field, layout))
  const doubtful = files.filter(({ add }) => !isModern(add.stats, names))
  if (doubtful.length === 0) return
  for (const file of await legacyFiles(session, doubtful, options)) {
    for (const column of columns) await refuseOldValue(session, { file, column, layout }, options)
  }
}

function holdsTime(type: DataType): boolean {
  return type.kind === 'date' || type.kind === 'timestamp' || type.kind === 'timestamp_ntz'
}

/** Whether statistics show that no value of the columns is old. */
function isModern(stats: string | undefined, names: readonly string[]): boolean {
  const minValues = stats === undefined ? undefined : membersOf(stats)
  return names.every((name) => {
    const bound = minValues !== undefined && Object.hasOwn(minValues, name) ? minValues[name] : undefined
    return typeof bound === 'string' && Number(/^(\d{4})-/.exec(bound)?.[1] ?? 0) >= FIRST_MODERN_YEAR
  })
}

function membersOf(stats: string): { readonly [name: string]: JsonValue | undefined } | undefined {
  try {
    const json = parseJson(stats)
    return isJsonObject(json) && isJsonObject(json.minValues) ? json.minValues : undefined
  } catch {
    return undefined
  }
}

/** What a footer says of the calendar of INT96 timestamps and of everything else. */
interface LegacyFile {
  readonly path: string
  readonly int96: boolean
  readonly other: boolean
}

async function legacyFiles(
  session: DuckSession,
  files: readonly LocalFile[],
  options: QueryOptions,
): Promise<readonly LegacyFile[]> {
  const paths = pathList([...new Set(files.map((file) => file.path))])
  const rows = await session.query(
    `SELECT file_name, bool_or(k = 'org.apache.spark.legacyINT96' OR version < 301),
       bool_or(k = 'org.apache.spark.legacyDateTime' OR version < 300)
     FROM (SELECT file_name, decode(key) AS k, CASE WHEN k = 'org.apache.spark.version'
         THEN TRY_CAST(split_part(v, '.', 1) AS INTEGER) * 100 + TRY_CAST(split_part(v, '.', 2) AS INTEGER) END AS version
       FROM (SELECT file_name, key, decode(value) AS v FROM parquet_kv_metadata(${paths})
         WHERE decode(key) IN ('org.apache.spark.legacyINT96', 'org.apache.spark.legacyDateTime', 'org.apache.spark.version')))
     GROUP BY file_name`,
    options,
  )
  return rows
    .map(([path, int96, other]) => ({ path: path as string, int96: int96 === true, other: other === true }))
    .filter(({ int96, other }) => int96 || other)
}

async function refuseOldValue(
  session: DuckSession,
  { file, column, layout }: { file: LegacyFile; column: StructField; layout: TableLayout },
  options: QueryOptions,
): Promise<void> {
  const name = physicalName(column, layout)
  const leaves = await session.query(
    `SELECT type FROM parquet_schema(${pathList([file.path])}) WHERE type IS NOT NULL AND name = ${quoteLiteral(name)}`,
    options,
  )
  const isOld = leaves.some(([type]) => (type === 'INT96' ? file.int96 : file.other))
  if (!isOld) return
  const limit = LIMITS[column.type.kind as keyof typeof LIMITS]
  const found = await session.query(
    `SELECT 1 FROM read_parquet(${pathList([file.path])}, hive_partitioning=false)
     WHERE ${quoteIdent(name)}::TIMESTAMP < ${limit}::TIMESTAMP LIMIT 1`,
    options,
  )
  if (found.length === 0) return
  throw deltaError('INCONSISTENT_BEHAVIOR_CROSS_VERSION.READ_ANCIENT_DATETIME', {
    file: file.path,
    column: column.name,
  })
}
