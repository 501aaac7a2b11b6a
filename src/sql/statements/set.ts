/** SET and RESET of a session's settings. */
import { field, stringType, structType } from '../../schema/index.ts'
import { NO_ROWS, rowsResult } from '../result.ts'
import type { Execute } from './statement-context.ts'

const PAIRS = structType([field('key', stringType), field('value', stringType)])

/** Without a value it shows one setting, without a key all of them. */
export const executeSet: Execute<'set'> = async ({ key, value }, { settings }) => {
  if (key === undefined) return rowsResult(PAIRS, settings.all)
  if (value !== undefined) settings.set(key, value)
  return rowsResult(PAIRS, [[key, settings.get(key)]])
}

export const executeReset: Execute<'reset'> = async ({ key }, { settings }) => {
  settings.reset(key)
  return NO_ROWS
}
