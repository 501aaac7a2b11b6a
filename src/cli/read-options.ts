/** Options shared by the commands that read a table. */
import { type Command, InvalidArgumentError } from 'commander'
import { parseWholeNumber } from './globals.ts'

export interface ReadPointOptions {
  readonly version?: number
  readonly timestamp?: string
  /** of a lake */
  readonly dataPath?: string
}

export function addTableArgument(command: Command): void {
  command.argument(
    '<table>',
    'the table: a folder, a file://, http(s):// or s3:// address, or ducklake:CATALOG#schema.table',
  )
}

export function addReadPointOptions(command: Command): void {
  command
    .option('--version <n>', 'read this version', parseWholeNumber)
    .option('--timestamp <t>', 'read the newest version of that time, such as 2024-02-29T12:00:00Z')
  addDataPathOption(command)
}

export function addDataPathOption(command: Command): void {
  command.option('--data-path <dir>', 'of a ducklake: address: where its files lie, instead of where the catalog says')
}

/** The read point in the form the programming interface takes; nothing given is nothing set. */
export function readPoint({ version, timestamp }: ReadPointOptions): ReadPointOptions {
  return { ...(version !== undefined && { version }), ...(timestamp !== undefined && { timestamp }) }
}

/** Names with commas between them; a name with a comma or a backtick in it stands in backticks. */
export function parseNameList(text: string): string[] {
  const names: string[] = []
  const item = /\s*(?:`((?:[^`]|``)*)`|([^,`]+?))\s*(,|$)/gy
  let end = 0
  while (end < text.length || names.length === 0) {
    const match = item.exec(text)
    if (match === null) throw new InvalidArgumentError('It is a list of column names with commas between them.')
    names.push(match[1]?.replaceAll('``', '`') ?? match[2]!)
    end = item.lastIndex
    if (match[3] === '') break
  }
  return names
}
