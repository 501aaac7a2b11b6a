/** File actions of commits on their way into the tables of an index. */
import type { DuckDBValue } from '@duckdb/node-api'
import {
  type AddFile,
  canonicalPath,
  deletionVectorId,
  type FileActions,
  type PartitionValues,
  printAction,
  type RemoveFile,
} from '../../../kernel/index.ts'
import { type JsonValue, printJson } from '../../../support/index.ts'
import type { DuckSession } from '../instance.ts'

/** Actions sent in one statement. */
const PAGE_SIZE = 5000

const SHAPE = JSON.stringify([
  {
    v: 'BIGINT',
    live: 'BOOLEAN',
    canonical: 'VARCHAR',
    path: 'VARCHAR',
    dv: 'VARCHAR',
    size: 'BIGINT',
    mtime: 'BIGINT',
    data_change: 'BOOLEAN',
    pv: 'MAP(VARCHAR, VARCHAR)',
    stats: 'VARCHAR',
    rest: 'VARCHAR',
    deleted_ms: 'BIGINT',
    action: 'VARCHAR',
  },
])

/** One action of each key: the newest of those staged, an add before a remove of the same commit. */
export const NEWEST_STAGED =
  'SELECT * FROM staged QUALIFY row_number() OVER (PARTITION BY canonical, dv ORDER BY v DESC, live DESC) = 1'

/**
 * Fills the temporary table `staged` of the session.
 *
 * @returns how many actions there are
 */
export async function stageCommits(
  session: DuckSession,
  commits: AsyncIterable<FileActions> | Iterable<FileActions>,
): Promise<number> {
  await session.run(`CREATE OR REPLACE TEMP TABLE staged AS
    SELECT hash(canonical) AS h, nullif(canonical, path) AS key, * FROM (SELECT unnest(from_json('[]', '${SHAPE}'), recursive := true))`)
  let page: string[] = []
  let count = 0
  const flush = async () => {
    if (page.length > 0) await insert(session, page)
    page = []
  }
  for await (const commit of commits) {
    for (const row of rowsOf(commit)) {
      page.push(row)
      count++
      if (page.length >= PAGE_SIZE) await flush()
    }
  }
  await flush()
  return count
}

async function insert(session: DuckSession, rows: readonly string[]): Promise<void> {
  const json: DuckDBValue = `[${rows.join(',')}]`
  await session.connection.run(
    `INSERT INTO staged SELECT hash(r.canonical), nullif(r.canonical, r.path), r.*
     FROM (SELECT unnest(from_json($1, '${SHAPE}')) AS r)`,
    [json],
  )
}

function* rowsOf(commit: FileActions): Generator<string> {
  for (const add of commit.adds) yield printJson(addRow(add, commit.version))
  for (const remove of commit.removes) yield printJson(removeRow(remove, commit.version))
}

type StagedRow = Record<string, JsonValue>

function addRow(add: AddFile, version: number): StagedRow {
  return {
    ...keyColumns(add, version),
    live: true,
    size: add.size,
    mtime: add.modificationTime,
    data_change: add.dataChange,
    pv: partitionObject(add.partitionValues),
    stats: add.stats === undefined ? null : wellFormed(add.stats),
    rest: restOf(add),
  }
}

function removeRow(remove: RemoveFile, version: number): StagedRow {
  return {
    ...keyColumns(remove, version),
    live: false,
    deleted_ms: remove.deletionTimestamp ?? 0,
    action: wellFormed(printAction({ remove })),
  }
}

function keyColumns(action: AddFile | RemoveFile, version: number): StagedRow {
  return {
    v: version,
    canonical: wellFormed(canonicalPath(action.path)),
    path: wellFormed(action.path),
    dv: deletionVectorId(action.deletionVector),
  }
}

function restOf(add: AddFile): JsonValue {
  const { path, partitionValues, size, modificationTime, dataChange, stats, ...rest } = add
  if (Object.keys(rest).length === 0) return null
  // printed as an add of its own, so that whatever the kernel prints it also reads again
  return wellFormed(
    printAction({ add: { path: '', partitionValues: new Map(), size: 0, modificationTime: 0, dataChange, ...rest } }),
  )
}

function partitionObject(values: PartitionValues): JsonValue {
  return Object.fromEntries(
    [...values].map(([key, value]) => [wellFormed(key), value === null ? null : wellFormed(value)]),
  )
}

/** Half a surrogate pair, which JSON can spell and UTF-8 cannot, becomes U+FFFD as everywhere in UTF-8. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
}
