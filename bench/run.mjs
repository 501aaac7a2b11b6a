/** `npm run bench -- NAME [SCALE]`. */
import { benchIngest } from './ingest.mjs'

const benches = {
  ingest: {
    run: benchIngest,
    scales: ['small', 'medium', 'large'],
    about: 'NDJSON through the worker, beside plain DuckDB',
  },
}

const [name, scale = 'medium'] = process.argv.slice(2)
const bench = Object.hasOwn(benches, name ?? '') ? benches[name] : undefined
if (bench === undefined || !bench.scales.includes(scale)) {
  for (const [known, { scales, about }] of Object.entries(benches))
    console.log(`${known} [${scales.join('|')}]  ${about}`)
  process.exit(name === undefined ? 0 : 2)
}
const { ok } = await bench.run(scale)
process.exit(ok ? 0 : 1)
