/** Scans: open the newest version, find the files a query needs, run it; then the same again with the handle open. */
import { medianSeconds } from '../clock.mjs'

export async function run({ data, table, sql, warm }, { lake, clock }) {
  const tables = lake({ t: `${data}/${table}` })
  const text = sql.replace('{t}', 't')
  const rows = await clock.op(async () => (await tables.sql(text, { as: 'json' })).rows())
  const warmSeconds = await medianSeconds(warm, async () => (await tables.sql(text)).rows())
  return { rows: 1, check: Object.values(rows[0]).map(Number), warm_seconds: warmSeconds }
}
