// One of several processes that write to one table: node writer.mjs WORK PATH NAME COUNT. Says what it did as JSON.
import { closeTables, DeltaTable } from '../../dist/index.js'

const [work, path, name, count] = process.argv.slice(2)
const ROWS = 10
const said = { versions: [], latenciesMs: [], conflicts: 0 }

const works = {
  append: async (table, i) => {
    const rows = Array.from({ length: ROWS }, (_, j) => ({ writer: name, step: i, row: j }))
    return [(await table.append(rows)).version]
  },
  /** the writer's own row counts its updates; another's change of the file is met by running it again */
  update: (table) => again(() => table.update({ where: `writer = '${name}'`, set: { step: 'step + 1' } })),
  /** the writer's own row counts its merges, each of which brings a row of its own */
  merge: (table, i) => {
    const rows = [0, i + 1].map((row) => ({ writer: name, step: i + 1, row }))
    const own = `t.writer = '${name}' AND t.writer = s.writer AND t.row = s.row`
    const merge = table.as('t').merge(rows, own, { sourceAlias: 's', rowLevelConcurrency: true })
    return again(() => merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute())
  },
  compact: (table) => again(() => table.optimize().executeCompaction()),
}

async function again(change) {
  for (;;) {
    try {
      const { version, versions = version === null ? [] : [version] } = await change()
      return versions
    } catch (error) {
      if (error.retryable !== true) throw error
      said.conflicts++
    }
  }
}

const table = await DeltaTable.forPath(path)
await table.version()
// everyone is ready before anyone begins
process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))
process.stdin.unref()
for (let i = 0; i < Number(count); i++) {
  const startedMs = performance.now()
  said.versions.push(...(await works[work](table, i)))
  said.latenciesMs.push(Math.round(performance.now() - startedMs))
}
await closeTables()
process.stdout.write(JSON.stringify(said))
