/** The peer of the ingest benchmark: plain DuckDB reads the same file and writes the same columns, with no table. */
import { DuckDBInstance } from '@duckdb/node-api'
import { EVENT_COLUMNS } from './events.mjs'

const [input, output] = process.argv.slice(2)
const columns = Object.entries(EVENT_COLUMNS).map(([name, type]) => `"${name}": '${type}'`)
const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '3GB' })
const connection = await instance.connect()
await connection.run("SET TimeZone='UTC'")
await connection.run(`COPY (SELECT * FROM read_json('${input}', format='newline_delimited', columns={${columns.join(', ')}}))
  TO '${output}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, PARTITION_BY (day), RETURN_STATS)`)
const reader = await connection.runAndReadAll(`SELECT count(*) n FROM read_parquet('${output}/**/*.parquet')`)
console.log(JSON.stringify({ rows: Number(reader.getRows()[0][0]) }))
