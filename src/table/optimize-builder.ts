/** OPTIMIZE step by step: immutable, nothing happens before `execute…` or `plan`. Names follow Delta's builder. */
import { deltaError } from '../errors/index.ts'
import type {
  CommandOptions,
  ExpressionInput,
  LayoutPlan,
  LayoutSizes,
  OptimizeCommand,
  OptimizeResult,
} from '../operations/index.ts'
import { parseFileSize } from '../operations/index.ts'
import { columnPathOf } from './column-input.ts'

/** Bytes, or a text: `64MB`, `1 GiB`. */
export type FileSizeInput = number | string

export interface LayoutOptions {
  /** files below are packed with others; the largest size of a new one when absent */
  readonly minFileSize?: FileSizeInput
  /** of a new file, about; the table's own size, then 1 GiB, when absent */
  readonly maxFileSize?: FileSizeInput
  /** 0 to 1: files of which a greater part of the rows is deleted are written anew whatever their size; 0.05 when absent */
  readonly maxDeletedRowsRatio?: number
  /** of the files that one commit replaces, about; one commit when absent */
  readonly batchSize?: FileSizeInput
}

export interface OptimizeOptions extends LayoutOptions, CommandOptions {
  readonly userMetadata?: string
}

export interface PurgeOptions extends OptimizeOptions {
  /** over partition columns */
  readonly where?: ExpressionInput
  /** true: says what would be done and does nothing */
  readonly planOnly?: boolean
}

/** @throws DeltaError `LAKE_INVALID_OPTION` for a text that is no size */
export function layoutSizes(options: LayoutOptions): LayoutSizes {
  const { maxDeletedRowsRatio } = options
  const sizes = (['minFileSize', 'maxFileSize', 'batchSize'] as const).flatMap((option) => {
    const value = options[option]
    return value === undefined ? [] : [[option, sizeOf(option, value)] as const]
  })
  return { ...Object.fromEntries(sizes), ...(maxDeletedRowsRatio !== undefined && { maxDeletedRowsRatio }) }
}

function sizeOf(option: string, value: FileSizeInput): number {
  const size = typeof value === 'number' ? value : parseFileSize(value)
  if (size !== undefined) return size
  throw deltaError('LAKE_INVALID_OPTION', { option, value, allowed: 'it is a number of bytes, or a text: 64MB, 1 GiB' })
}

type Run = (command: OptimizeCommand) => Promise<OptimizeResult>

export class OptimizeBuilder {
  private readonly run: Run
  private readonly command: OptimizeCommand

  /** Made by `DeltaTable.optimize`. */
  constructor(run: Run, command: OptimizeCommand) {
    this.run = run
    this.command = command
  }

  /** Only the files of partitions for which a condition is TRUE; it names partition columns and no other. */
  where(condition: ExpressionInput): OptimizeBuilder {
    return new OptimizeBuilder(this.run, { ...this.command, where: condition })
  }

  /** Also rows that are sorted by the table's clustering columns already. */
  full(): OptimizeBuilder {
    return new OptimizeBuilder(this.run, { ...this.command, full: true })
  }

  /**
   * Packs small files, and in a table clustered by columns sorts what is not sorted yet.
   *
   * No row changes, and readers of the change feed see nothing. A second call finds nothing to do and makes no version.
   *
   * @throws DeltaError `DELTA_NON_PARTITION_COLUMN_REFERENCE`, `DELTA_CLUSTERING_WITH_PARTITION_PREDICATE`,
   * `DELTA_OPTIMIZE_FULL_NOT_SUPPORTED`, `DELTA_CONCURRENT_DELETE_READ.…` where another writer changed rows of the files
   * meanwhile, `DELTA_TABLE_NOT_FOUND`, `LAKE_CANCELLED`, `LAKE_USAGE`
   */
  async executeCompaction(): Promise<OptimizeResult> {
    return await this.execute({})
  }

  /**
   * Writes all files of the table, or of the partitions chosen, anew, with rows that are near each other in all of the
   * columns near each other, so that conditions on any of them read few files.
   *
   * @param columns names, paths with dots, or lists of them
   * @throws DeltaError as `executeCompaction`, and `DELTA_ZORDERING_ON_PARTITION_COLUMN`,
   * `DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST`, `DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS`, `DELTA_CLUSTERING_WITH_ZORDER_BY`
   */
  async executeZOrderBy(...columns: readonly (string | readonly string[])[]): Promise<OptimizeResult> {
    const zorderBy = columns.flat().map(columnPathOf)
    if (zorderBy.length > 0) return await this.execute({ zorderBy })
    throw deltaError('LAKE_USAGE', {
      problem: 'executeZOrderBy was given no column',
      advice: 'name at least one, or use executeCompaction',
    })
  }

  /** What `executeCompaction`, or with columns `executeZOrderBy`, would write anew; nothing is done. */
  async plan(...columns: readonly (string | readonly string[])[]): Promise<LayoutPlan> {
    const zorderBy = columns.flat().map(columnPathOf)
    return (await this.execute({ ...(zorderBy.length > 0 && { zorderBy }), planOnly: true })).plan
  }

  private async execute(more: Partial<OptimizeCommand>): Promise<OptimizeResult> {
    return await this.run({ ...this.command, ...more })
  }
}
