/** The records of the ingest benchmark: about 400 bytes each, 13 columns with a struct and a list, in time order. */
import { createWriteStream, existsSync, renameSync, statSync } from 'node:fs'

/** As the worker's source declares it. */
export const EVENT_SCHEMA =
  'id BIGINT, ts TIMESTAMP, day DATE, `user` STRING, session STRING, action STRING, page STRING, status INT, ' +
  'ms DOUBLE, bytes BIGINT, agent STRING, geo STRUCT<country STRING, city STRING, lat DOUBLE, lon DOUBLE>, tags ARRAY<STRING>'

/** As plain DuckDB reads it. */
export const EVENT_COLUMNS = {
  id: 'BIGINT',
  ts: 'TIMESTAMPTZ',
  day: 'DATE',
  user: 'VARCHAR',
  session: 'VARCHAR',
  action: 'VARCHAR',
  page: 'VARCHAR',
  status: 'INTEGER',
  ms: 'DOUBLE',
  bytes: 'BIGINT',
  agent: 'VARCHAR',
  geo: 'STRUCT(country VARCHAR, city VARCHAR, lat DOUBLE, lon DOUBLE)',
  tags: 'VARCHAR[]',
}

const ACTIONS = ['view', 'click', 'scroll', 'buy', 'search']
const CITIES = [
  ['DE', 'Berlin', 52.52, 13.405],
  ['FR', 'Lyon', 45.764, 4.8357],
  ['NL', 'Utrecht', 52.0907, 5.1214],
  ['JP', 'Osaka', 34.6937, 135.5023],
]
const DAY_MS = 86_400_000

function event(index, count) {
  const at = new Date(Date.UTC(2024, 0, 1) + Math.floor((index / count) * 4 * DAY_MS))
  const [country, city, lat, lon] = CITIES[(index * 7) % CITIES.length]
  return {
    id: index,
    ts: at.toISOString(),
    day: at.toISOString().slice(0, 10),
    user: `user-${(index * 7919) % 100_003}`,
    session: `s${((index * 104_729) % 1_000_003).toString(36)}-${index.toString(36)}`,
    action: ACTIONS[(index * 31) % ACTIONS.length],
    page: `/catalogue/section-${index % 40}/item-${(index * 13) % 5000}?ref=${index % 17}`,
    status: index % 50 === 0 ? 404 : 200,
    ms: ((index * 37) % 100_000) / 64,
    bytes: (index * 9_973) % 1_000_000,
    agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36',
    geo: { country, city, lat, lon },
    tags: [`t${index % 10}`, `t${(index * 3) % 25}`],
  }
}

/** Writes the file unless it is there; returns its size in bytes. */
export async function writeEvents(path, count) {
  if (!existsSync(path)) {
    const out = createWriteStream(`${path}.part`)
    for (let start = 0; start < count; start += 2000) {
      let text = ''
      for (let i = start; i < Math.min(count, start + 2000); i++) text += `${JSON.stringify(event(i, count))}\n`
      if (!out.write(text)) await new Promise((resolve) => out.once('drain', resolve))
    }
    await new Promise((resolve) => out.end(resolve))
    renameSync(`${path}.part`, path)
  }
  return statSync(path).size
}
