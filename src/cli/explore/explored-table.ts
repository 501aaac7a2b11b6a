/** A table that the explorer's server shows. */
import { basename } from 'node:path'
import type { ObjectStore } from '../../storage/index.ts'

export interface ExploredTable {
  /** path relative to the folder that is shown; `.` for the table itself */
  readonly name: string
  readonly store: ObjectStore
}

/** What the page calls it. */
export function shownName(name: string, location: string): string {
  return name === '.' ? basename(location) : name
}

/** What statements call it. */
export function statementName(name: string, location: string): string {
  const shown = shownName(name, location).replace(/[^A-Za-z0-9_]/g, '_')
  return /^\d/.test(shown) ? `t_${shown}` : shown
}
