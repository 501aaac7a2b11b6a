/** Upkeep of a table: small files into larger ones, rows sorted, a checkpoint; files that no version needs. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes of the files of a checkpoint. */
function checkpointBytes(path, version) {
  const folder = join(path, '_delta_log')
  const prefix = `${String(version).padStart(20, '0')}.checkpoint`
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix))
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

async function layOut(table, { op, cols, target_size: maxFileSize }) {
  const builder = table.optimize({ maxFileSize })
  return await (op === 'zorder' ? builder.executeZOrderBy(cols) : builder.executeCompaction())
}

export async function run(question, { table, clock }) {
  const { op, work, data, files } = question
  const path = `${work}/table`
  if (op === 'optimize' || op === 'zorder') {
    const { metrics } = await clock.op(async () => await layOut(await table(path), question))
    return { rows: files, bytes: metrics.filesAdded.totalSize, check: [metrics.numFilesRemoved] }
  }
  if (op === 'vacuum') {
    const found = await clock.op(async () => {
      const opened = await table(`${data}/${question.table}`)
      return await opened.vacuum({ dryRun: true })
    })
    return { rows: found.numFilesToDelete, check: [found.numFilesToDelete] }
  }
  if (op === 'checkpoint') {
    const { version } = await clock.op(async () => await (await table(path)).checkpoint())
    return { rows: files, bytes: checkpointBytes(path, version) }
  }
  return { skip: `the product's side of ${op} is not written` }
}
