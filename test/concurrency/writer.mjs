// One of several processes that write to one table: node writer.mjs append PATH NAME COUNT. Says what it did as JSON.
import { closeTables, DeltaTable } from '../../dist/index.js'

const [work, path, name, count] = process.argv.slice(2)
const ROWS = 10
const said = { versions: [], latenciesMs: [], conflicts: 0 }

const works = {
  append: async (table, i) => {
    const rows = Array.from({ length: ROWS }, (_, j) => ({ writer: name, step: i, row: j }))
    return (await table.append(rows)).version
  },
  /** the writer's own row counts its updates; another's change of the file is met by running it again */
  update: async (table) => {
    for (;;) {
      try {
        return (await table.update({ where: `writer = '${name}'`, set: { step: 'step + 1' } })).version
      } catch (error) {
        if (error.retryable !== true) throw error
        said.conflicts++
      }
    }
  },
}

const table = await DeltaTable.forPath(path)
await table.version()
// everyone is ready before anyone begins
process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))
process.stdin.unref()
for (let i = 0; i < Number(count); i++) {
  const startedMs = performance.now()
  said.versions.push(await works[work](table, i))
  said.latenciesMs.push(Math.round(performance.now() - startedMs))
}
await closeTables()
process.stdout.write(JSON.stringify(said))
