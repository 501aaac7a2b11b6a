/** Snapshots of tables with many files: open, list, prune, take in a commit. Most data files are not there. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export async function run(question, bench) {
  const { op, data, table: name, work } = question
  if (op === 'incr') return await refresh(question, bench, join(work, 'table'))
  const table = await bench.table(join(data, name))
  const answer = await bench.clock.op(() => operations[op](table, question, bench))
  return { rows: answer.length === 1 ? answer[0] : null, check: answer }
}

const operations = {
  open: async (table) => [(await table.describe()).version],
  list_all: async (table) => [await countFiles(table)],
  list_part: async (table, { part }) => [(await paths(table, `part = '${part}'`)).length],
  list_stats: async (table, { id_lo, id_hi }) => [(await paths(table, `id >= ${id_lo} AND id <= ${id_hi}`)).length],
  query: async (_, { sql, data, table }, { lake }) => {
    const [row] = await (await lake({ t: join(data, table) }).sql(sql.replace('{t}', 't'))).rows()
    return Object.values(row).map(Number)
  },
}

async function paths(table, where) {
  const found = []
  for await (const batch of table.fileBatches({ where })) found.push(...batch.paths())
  return found
}

/** Every file with its size and partition values stands in a batch, by column. */
async function countFiles(table) {
  let count = 0
  for await (const batch of table.fileBatches()) count += batch.numFiles
  return count
}

/** The table is open and was listed whole; a commit that adds a file and removes another comes. */
async function refresh({ files }, { table: open, clock }, path) {
  const table = await open(path)
  await countFiles(table)
  const version = (await table.version()) + 1
  const { added, removed, text } = tailCommit(files, 11)
  writeFileSync(join(path, '_delta_log', `${String(version).padStart(20, '0')}.json`), text)
  await clock.op(async () => {
    if ((await table.version()) !== version) throw new Error(`version ${version} is not seen`)
    if ((await table.file(added)) === undefined) throw new Error(`${added} is not there`)
    if ((await table.file(removed)) !== undefined) throw new Error(`${removed} is still there`)
  })
  const live = await clock.phase('list_after', () => countFiles(table))
  return { rows: live, check: [live], notes: `${added} in, ${removed} out` }
}

/** Commit k of the tail of a table that began with n files: one file is added and one of the checkpoint removed. */
function tailCommit(n, k) {
  const added = filePath(n + k)
  const removed = filePath(k)
  const commit = [
    { commitInfo: { timestamp: MODIFIED_MS + (1000 + k) * 1000, operation: 'WRITE', isBlindAppend: true } },
    { add: { path: added, size: 100_000, modificationTime: MODIFIED_MS, ...about(n + k), stats: stats(n + k) } },
    { remove: { path: removed, deletionTimestamp: MODIFIED_MS, size: 100_000 + k, ...about(k) } },
  ]
  return { added, removed, text: commit.map((action) => `${JSON.stringify(action)}\n`).join('') }
}

const MODIFIED_MS = 1_767_225_600_000

function filePath(i) {
  const hash = createHash('md5').update(String(i)).digest('hex')
  return `part=${part(i)}/part-${String(i).padStart(8, '0')}-${hash}-c000.snappy.parquet`
}

function about(i) {
  return { dataChange: true, partitionValues: { part: part(i) } }
}

function part(i) {
  return `p${String(i % 100).padStart(2, '0')}`
}

function stats(i) {
  const [minValues, maxValues] = [{ id: i * 1000 }, { id: i * 1000 + 999 }]
  return JSON.stringify({ numRecords: 1000, minValues, maxValues, nullCount: { id: 0 } })
}
