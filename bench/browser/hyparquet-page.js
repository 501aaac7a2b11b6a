/** The limit of such a page: the files are given, there is no log to read. */
import { asyncBufferFromUrl, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { shown } from './shown.js'

const question = new URLSearchParams(location.search)
const { first, part, id } = await (await fetch('/given.json')).json()
const open = (path) => asyncBufferFromUrl({ url: new URL(path, location.href).href })

const cases = {
  first: async () => await parquetReadObjects({ file: await open(first), compressors, rowStart: 0, rowEnd: 50 }),
  part: async () => {
    const counts = await Promise.all(part.map(async (path) => (await parquetMetadataAsync(await open(path))).num_rows))
    return [{ count: counts.reduce((sum, count) => sum + count) }]
  },
  id: async () => {
    const wanted = BigInt(question.get('id'))
    const file = await open(id)
    return await parquetReadObjects({ file, compressors, filter: { id: { $eq: wanted } }, filterStrict: false })
  },
}
await shown(await cases[question.get('case')]())
