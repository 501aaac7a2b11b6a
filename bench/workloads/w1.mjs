/** A new table from a Parquet file, in one commit. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

function dataFiles(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.parquet'))
  return names.filter((name) => !name.startsWith('_delta_log')).map((name) => statSync(join(folder, name)).size)
}

export async function run({ data, work, src, partition_by: partitionBy }, { lake, clock }) {
  const path = `${work}/table`
  const partitions = partitionBy.length === 0 ? '' : `PARTITIONED BY (${partitionBy.join(', ')})`
  const tables = lake({})
  const sql = `CREATE TABLE delta.\`${path}\` USING delta ${partitions} AS SELECT * FROM read_parquet('${data}/${src}')`
  await clock.op(async () => await (await tables.sql(sql)).rows())
  const sizes = dataFiles(path)
  const rows = await (await lake({ t: path }).sql('SELECT count(*) AS n FROM t')).rows()
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  return { rows: Number(rows[0].n), bytes, notes: `${sizes.length} files` }
}
