/** How large files are to be: what the command says, then the table's own size, then the reference's. */
import { deltaError } from '../../errors/index.ts'
import { tableTargetSize } from '../write/write-plan.ts'
import type { LayoutSizes } from './optimize-command.ts'
import type { Sizes } from './strategy.ts'

const DEFAULT_FILE_BYTES = 1024 * 1024 * 1024
const DEFAULT_DELETED_RATIO = 0.05

/** @throws DeltaError `LAKE_INVALID_OPTION` */
export function sizesOf(wished: LayoutSizes, configuration: ReadonlyMap<string, string>): Sizes {
  const { minFileSize, maxFileSize, batchSize, maxDeletedRowsRatio } = wished
  for (const [option, value] of Object.entries({ minFileSize, maxFileSize, batchSize })) {
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue
    throw deltaError('LAKE_INVALID_OPTION', { option, value, allowed: 'it is a whole number of bytes from 1 on' })
  }
  if (maxDeletedRowsRatio !== undefined && !(maxDeletedRowsRatio >= 0 && maxDeletedRowsRatio <= 1)) {
    const allowed = 'it is a number from 0 to 1'
    throw deltaError('LAKE_INVALID_OPTION', { option: 'maxDeletedRowsRatio', value: maxDeletedRowsRatio, allowed })
  }
  const largest = maxFileSize ?? tableTargetSize(configuration) ?? DEFAULT_FILE_BYTES
  return {
    maxFileSize: largest,
    minFileSize: minFileSize ?? (maxFileSize === undefined ? largest : Math.min(largest, DEFAULT_FILE_BYTES)),
    maxDeletedRowsRatio: maxDeletedRowsRatio ?? DEFAULT_DELETED_RATIO,
    batchSize: batchSize ?? Number.POSITIVE_INFINITY,
  }
}
