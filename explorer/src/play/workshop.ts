/** Everything that only a playground needs, loaded at once when the first one is opened. */
import { encodeUtf8 } from '../library.ts'
import type { RowPage } from '../messages.ts'
import type { PlayTable } from './play-table.ts'
import { order } from './starter.ts'

export { keep, recall } from './keep.ts'
export { Lanes } from './lanes.ts'
export { previewMerge } from './merge-preview.ts'
export { PlayTable } from './play-table.ts'
export { readSql } from './read-sql.ts'
export { unzipTable, zipTable } from './zip.ts'

/** Runs a statement that may change nothing: its rows, or none. */
export async function runStatement(play: PlayTable, sql: string): Promise<RowPage> {
  const { answer } = await play.perform({ op: 'sql', text: sql })
  return answer ?? { columns: [], rows: [], more: false, total: 0, fates: null, changed: null, gone: [] }
}

/** Puts so many rows into a file that no commit names, as a writer does that is half done, or knows nothing of a log. */
export async function plantFile({ store }: PlayTable, name: string, rows: number): Promise<void> {
  if (rows === 0) return await store.delete(name)
  const lines = Array.from({ length: rows }, (_, i) => {
    const values = order(String(2001 + i), 'Nowak', 'DE', '2024-04', '10.00', '2024-04-09 08:00:00')
    return values.map(([, value]) => value).join(',')
  })
  return await store.put(name, encodeUtf8(lines.join('\n')))
}
