/** Lines of other formats through a whole worker: rows, refused lines as they came, positions that hold over restarts. */
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parseWorkerConfig, runWorker } from '../../src/worker/index.ts'
import { readTable } from './read-table.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bayou-lines-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const line = (i: number) =>
  `10.0.0.${i} - - [01/Jan/2026:00:00:0${i} +0100] "GET /${i} HTTP/1.1" 200 ${i}00 "-" "curl/8 \\"x\\""`

async function run(source: object, table: string): Promise<void> {
  const deadLetterFile = join(folder, `${table}.dead`)
  const config = parseWorkerConfig({
    name: 'w',
    sources: [{ id: 's', type: 'file', ...source }],
    routes: [{ source: 's', destination: 'lake' }],
    destinations: [{ id: 'lake', type: 'delta', location: join(folder, table), deadLetterFile }],
  })
  await runWorker(config, { once: true })
}

async function deadLetters(table: string) {
  const lines = (await readFile(join(folder, `${table}.dead`), 'utf8')).trimEnd().split('\n')
  return lines.map((text) => JSON.parse(text) as { position: string; reason: string; record: string })
}

it('an access log: rows once, what is no line of it kept as it came with its place', async () => {
  const path = join(folder, 'access.log')
  const source = {
    path,
    format: 'access-log',
    schema: 'host STRING, time TIMESTAMP, status INT, bytes BIGINT, path STRING',
  }
  await writeFile(path, `${line(1)}\n{"host":"no line"}\n${line(2)}\n`)
  await run(source, 'log')
  await appendFile(path, `${line(3)}\r\nbad "quote\n`)
  await run(source, 'log')
  const { lines } = await readTable(join(folder, 'log'))
  expect(lines).toEqual(
    [1, 2, 3].map(
      (i) => `{"host":"10.0.0.${i}","time":"2025-12-31T23:00:0${i}Z","status":200,"bytes":${i}00,"path":"/${i}"}`,
    ),
  )
  const start = line(1).length + 1
  expect(await deadLetters('log')).toMatchObject([
    { position: String(start), reason: 'the line is not an access log', record: '{"host":"no line"}' },
    { reason: 'the line is not an access log', record: 'bad "quote' },
  ])
})

it('logfmt: texts become what the columns are, and a value that does not fit refuses its line', async () => {
  const path = join(folder, 'app.log')
  const schema = 'level STRING, n DECIMAL(10,2), ok BOOLEAN, tags ARRAY<BIGINT>, msg STRING'
  await writeFile(path, 'level=info n=1.50 ok=true tags=[9007199254740993] msg="a b" other=1\nlevel=warn n=many\n')
  await run({ path, format: 'logfmt', schema }, 'app')
  const { lines } = await readTable(join(folder, 'app'))
  expect(lines).toEqual(['{"level":"info","n":1.50,"ok":true,"tags":[9007199254740993],"msg":"a b"}'])
  const [letter] = await deadLetters('app')
  expect(letter).toMatchObject({
    record: 'level=warn n=many',
    reason: expect.stringContaining('"many" is not exactly one'),
  })
})
