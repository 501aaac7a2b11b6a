/** Records as NDJSON lines on standard output: to see what a route makes of its source. */
import { rowToJson } from '../../schema/index.ts'
import type { DestinationConfig } from '../config/config.ts'
import { type DeadLetter, type DeadLetters, deadLetterFileOf, openDeadLetters } from '../delivery/dead-letters.ts'
import { letterOf } from '../delivery/letter.ts'
import { rowReader } from '../records/row-reader.ts'
import type { Meter } from '../server/meter.ts'
import type { Delivery, Destination } from './destination.ts'

export interface StdoutOptions {
  readonly config: Extract<DestinationConfig, { type: 'stdout' }>
  readonly meter: Meter
  /** resolves when the text is handed over */
  readonly print: (text: string) => Promise<void>
}

/** Nothing is remembered: a source begins anew with every run. */
export class StdoutDestination implements Destination {
  readonly id: string
  readonly target = 'standard output'
  readonly deadLetterFile: string
  private readonly options: StdoutOptions
  private deadLetters: DeadLetters | undefined

  constructor(options: StdoutOptions) {
    this.id = options.config.id
    this.deadLetterFile = deadLetterFileOf(options.config)
    this.options = options
  }

  async check(): Promise<void> {}

  async start(): Promise<void> {
    const { id: destination, deadLetterFile: path } = this
    this.deadLetters = await openDeadLetters({ path, destination, positionOf: () => undefined })
  }

  async refreshPositions(): Promise<void> {}

  positionOf(): bigint {
    return 0n
  }

  async take(delivery: Delivery): Promise<void> {
    const beganAt = Date.now()
    const { batch, settle } = delivery
    const letters: DeadLetter[] = []
    let rows = 0
    let filtered = 0
    let ignoredFields = 0
    for (const route of delivery.routes) {
      const found = rowReader(route, delivery.format).read(batch.bytes, batch.columns)
      await this.options.print(found.rows.map((row) => `${rowToJson(row, route.outputSchema)}\n`).join(''))
      rows += found.rows.length
      filtered += found.numFiltered
      ignoredFields += found.numIgnoredFields
      for (const record of found.refused) letters.push(letterOf(delivery, route.id, record))
    }
    await this.deadLetters!.add(letters)
    this.deadLetters!.settle(letters)
    this.options.meter.refusedFor(letters.map(({ reason }) => reason))
    this.options.meter.committed({
      version: undefined,
      files: 0,
      rows,
      refused: letters.length,
      filtered,
      ignoredFields,
      fileBytes: 0,
      recordBytes: batch.bytes.length,
      ms: Date.now() - beganAt,
    })
    settle({ kind: 'committed', refused: letters.length })
  }

  boundStalls(): void {}

  async finish(): Promise<void> {}

  async close(): Promise<void> {
    await this.deadLetters?.close()
  }
}
