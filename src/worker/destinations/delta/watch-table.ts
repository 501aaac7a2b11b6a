/** What the owner of a table should know of it, said once each time a limit is passed: this destination only appends. */
import { property, type Snapshot } from '../../../kernel/index.ts'

const SMALL_FILE_BYTES = 1024 * 1024
const MANY_FILES = 1000
/** Intervals without a checkpoint after which something must be wrong with writing them. */
const MISSED_CHECKPOINTS = 3

export interface TableFigures {
  readonly numFiles: number
  readonly sizeInBytes: number
  readonly commitsSinceCheckpoint: number
  readonly checkpointInterval: number
}

/** @param known version of the last checkpoint this worker wrote, if any */
export async function figuresOf(
  { files, version, segment, configuration }: Snapshot,
  known: number | undefined,
): Promise<TableFigures> {
  return {
    ...(await files.totals()),
    commitsSinceCheckpoint: version - Math.max(segment.checkpointVersion ?? 0, known ?? 0),
    checkpointInterval: property(configuration, 'checkpointInterval'),
  }
}

export class TableWatch {
  private readonly passed = new Set<string>()
  private readonly warn: (text: string) => void

  constructor(warn: (text: string) => void) {
    this.warn = warn
  }

  look(figures: TableFigures): void {
    const { numFiles, sizeInBytes, commitsSinceCheckpoint, checkpointInterval } = figures
    const average = Math.round(sizeInBytes / Math.max(1, numFiles))
    this.tell('files', numFiles >= MANY_FILES && average < SMALL_FILE_BYTES, () => {
      return `the table has ${numFiles} files of ${average} bytes on average: compact it, or raise fileIntervalSecs`
    })
    this.tell('log', commitsSinceCheckpoint > MISSED_CHECKPOINTS * checkpointInterval, () => {
      return `no checkpoint is known for ${commitsSinceCheckpoint} commits; one is due every ${checkpointInterval}`
    })
  }

  private tell(limit: string, isPassed: boolean, text: () => string): void {
    if (isPassed && !this.passed.has(limit)) this.warn(text())
    if (isPassed) this.passed.add(limit)
    else this.passed.delete(limit)
  }
}
