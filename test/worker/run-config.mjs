/** A worker in a process of its own, from the build: `node run-config.mjs CONFIG`. Says `done` when it has drained. */
import { readFileSync } from 'node:fs'
import { parseWorkerConfig, runWorker } from '../../dist/worker/index.js'

const config = parseWorkerConfig(JSON.parse(readFileSync(process.argv[2], 'utf8')))
const summary = await runWorker(config, { once: true })
console.log(`done ${JSON.stringify(summary.destinations.map(({ rows, refused }) => ({ rows, refused })))}`)
