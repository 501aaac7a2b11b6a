/** The playground's table without a page: the real kernel and engine over a store in memory. */
import { describe, expect, test } from 'vitest'
import { printSql } from '../../explorer/src/calls/print-sql.ts'
import { printTypeScript } from '../../explorer/src/calls/print-typescript.ts'
import { readTypeScript } from '../../explorer/src/calls/read-typescript.ts'
import { PlayTable } from '../../explorer/src/play/play-table.ts'
import { readSql } from '../../explorer/src/play/read-sql.ts'
import { CORRECT_1043, FIRST_ROWS, STARTER_CALLS, SUPPLIER_MERGE } from '../../explorer/src/play/starter.ts'
import { jsEngine } from '../../src/browser.ts'

const TYPES = new Map([
  ['order_id', 'string'],
  ['amount', 'decimal(10,2)'],
  ['updated_at', 'timestamp'],
])
const QUERY = { where: '', offset: 0, limit: 100, sort: null, fates: true }

test('the starter has its versions', async () => {
  const play = new PlayTable('t', jsEngine())
  const { opened } = await play.begin({ from: 'starter' })
  console.log(
    opened.versions.map(
      (line) => `${line.version} ${line.operation} +${line.filesAdded} -${line.filesRemoved} ${line.detail}`,
    ),
  )
  const folder = await play.reader.folder(3, { nowMs: play.nowMs })
  console.log(
    folder.files.map((file) => [
      file.name.slice(0, 10),
      file.rows,
      file.state,
      file.label,
      file.touched,
      file.cells?.join(),
    ]),
  )
  const rows = await play.reader.rows(2, QUERY)
  console.log(rows.rows.length, rows.fates, rows.changed)
  console.log(
    (await play.reader.story("order_id = '1046'")).events.map((event) => [event.version, event.operation, event.what]),
  )
  console.log(await play.reader.state(4).then((state) => state.features))
  console.log(await play.reader.difference(1, 4))
})
