/** `npm run bench -- NAME [SCALE]`, or names of workloads: `npm run bench -- W2 W3 small --case part,range`. */
import { parseArgs } from 'node:util'
import { benchBrowser } from './browser.mjs'
import { benchIngest } from './ingest.mjs'
import { benchPeers, isWorkload } from './peers.mjs'

const benches = {
  ingest: {
    run: benchIngest,
    scales: ['small', 'medium', 'large'],
    about: 'NDJSON through the worker, beside plain DuckDB',
  },
  W10: {
    run: benchBrowser,
    scales: ['small', 'medium'],
    about: 'a table over HTTP to rows on the page of a browser, beside hyparquet',
  },
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      case: { type: 'string' },
      repeat: { type: 'string' },
      peers: { type: 'string' },
      trace: { type: 'boolean' },
    },
  })
  const workloads = positionals.filter(isWorkload)
  const [scale] = positionals.filter((name) => !isWorkload(name))
  if (workloads.length > 0) return await benchPeers(workloads, { ...values, scale, cases: values.case })
  const [name, size = 'medium'] = positionals
  const bench = Object.hasOwn(benches, name ?? '') ? benches[name] : undefined
  if (bench?.scales.includes(size)) return await bench.run(size)
  for (const [known, { scales, about }] of Object.entries(benches))
    console.log(`${known} [${scales.join('|')}]  ${about}`)
  console.log(
    'W1 … W9 [tiny|small|medium|large] [--case A,B] [--repeat N] [--peers P,Q] [--trace]  beside other engines',
  )
  return { ok: name === undefined }
}

const { ok } = await main()
process.exit(ok ? 0 : 1)
