// One of several processes that append to one table: node writer.mjs PATH NUMBER APPENDS ROWS.
import { openSession } from '../dist/session/index.js'
import { nodeEngine } from '../dist/session/node-engine.js'
import { Lake } from '../dist/sql/index.js'
import { chainRows } from './workloads/chain-rows.mjs'

const [path, number, appends, rows] = process.argv.slice(2)
const session = openSession({ engine: nodeEngine({ threads: 1, memoryLimit: '500MB' }) })
const table = await session.tables.forPath(path)
await table.count()
// the engine is open before anyone begins, as it is for the peers
await (
  await new Lake({ engine: session.engine, openStore: session.openStore, tables: new Map() }, async () => {}).sql(
    'SELECT 1',
  )
).rows()
process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))
process.stdin.unref()
const latencies = []
let errors = 0
for (let i = 0; i < Number(appends); i++) {
  const source = chainRows(Number(number) * 1000 + i, Number(rows))
  const begun = performance.now()
  for (let done = false; !done; ) {
    done = await table.append(source).then(
      () => true,
      () => ++errors > 1000,
    )
  }
  latencies.push(performance.now() - begun)
}
await session.close()
const p99Ms = Number(latencies.sort((a, b) => a - b)[Math.floor(latencies.length * 0.99)].toFixed(1))
process.stdout.write(JSON.stringify({ errors, p99Ms }))
