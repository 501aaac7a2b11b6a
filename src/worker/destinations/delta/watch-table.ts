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

/**
 * The version whose checkpoint is due with a commit: its own, or one that was passed over.
 *
 * Versions that ask for a checkpoint may go to other writers that write none, or one may have failed. Another writer's
 * checkpoint may not be known here yet, so only the second one that is missing is made up for.
 */
export function checkpointedAt(
  { version, segment, configuration }: Pick<Snapshot, 'version' | 'segment' | 'configuration'>,
  committed: number,
  known: number | undefined,
): number {
  const interval = property(configuration, 'checkpointInterval')
  const last = Math.max(segment.checkpointVersion ?? 0, known ?? 0)
  const due = Math.floor(version / interval) * interval
  return due - last >= 2 * interval ? due : committed
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
