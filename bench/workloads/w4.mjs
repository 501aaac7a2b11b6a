/** Changes of rows: open the newest version, find the rows, write, commit. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes of files, by name, without the log. */
function dataFiles(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => /\.(parquet|bin)$/.test(name))
  return new Map(names.filter((name) => !name.startsWith('_delta_log')).map((n) => [n, statSync(join(folder, n)).size]))
}

function newBytes(before, after) {
  let bytes = 0
  for (const [name, size] of after) if (!before.has(name)) bytes += size
  return bytes
}

async function merge(target, { data, source, keys }, lake) {
  const rows = await lake({}).source(`SELECT * FROM read_parquet('${data}/${source}')`)
  return await target
    .as('t')
    .merge(rows, keys.map((key) => `t.${key} = s.${key}`).join(' AND '), { sourceAlias: 's' })
    .whenMatchedUpdateAll()
    .whenNotMatchedInsertAll()
    .execute()
}

export async function run(question, { table, lake, clock }) {
  const { work, op, pred, set } = question
  const path = `${work}/table`
  const change = {
    delete: (target) => target.delete(pred),
    update: (target) => target.update({ where: pred, set }),
    merge: (target) => merge(target, question, lake),
  }[op]
  if (change === undefined) return { skip: `the product's side of ${op} is not written` }
  const before = dataFiles(path)
  const { numAffectedRows } = await clock.op(async () => await change(await table(path)))
  return { rows: numAffectedRows, bytes: newBytes(before, dataFiles(path)) }
}
