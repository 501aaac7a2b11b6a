/** Lines of the prompt that are no SQL: `\dt`, `\d orders`, `\timing`, … */
import type { SqlSession } from '../../../sql/index.ts'

export interface PromptState {
  /** whether the time of each statement is shown */
  readonly timing: boolean
  /** whether long results are shown page by page */
  readonly paging: boolean
}

export type Shortcut =
  | { readonly kind: 'statement'; readonly sql: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'state'; readonly state: PromptState; readonly text: string }
  | { readonly kind: 'quit' }

const HELP = `\\d            tables
\\d TABLE      columns of a table, and what is told of it
\\dt [PATTERN] tables whose names match: * stands for any text
\\h TABLE      its last ten versions
\\timing       the time of each statement, on or off
\\pager        long results page by page, on or off
\\?            this text
\\q            leaves, as Ctrl-D does
Ctrl-C drops what is typed, or ends the statement that runs. A statement ends with a semicolon.`

/** What a line that begins with a backslash asks for; undefined where it begins otherwise. */
export function readShortcut(
  line: string,
  state: PromptState,
  session: Pick<SqlSession, 'tableNames'>,
): Shortcut | undefined {
  const match = /^\s*\\(\S*)\s*(.*?)\s*;?\s*$/.exec(line)
  if (match === null) return undefined
  const [, word, argument] = match
  switch (word) {
    case 'q':
    case 'quit':
      return { kind: 'quit' }
    case '?':
    case 'help':
      return { kind: 'text', text: HELP }
    case 'timing':
      return switched({ ...state, timing: !state.timing }, 'Timing', !state.timing)
    case 'pager':
      return switched({ ...state, paging: !state.paging }, 'Paging', !state.paging)
    case 'dt':
      return { kind: 'statement', sql: showTables(argument!) }
    case 'd':
      if (argument === '') return { kind: 'statement', sql: showTables('') }
      return { kind: 'statement', sql: `DESCRIBE EXTENDED ${nameText(argument!, session)}` }
    case 'h':
      if (argument === '') return { kind: 'text', text: '\\h takes the name of a table' }
      return { kind: 'statement', sql: `DESCRIBE HISTORY ${nameText(argument!, session)} LIMIT 10` }
    default:
      return { kind: 'text', text: `there is no \\${word}; \\? lists what there is` }
  }
}

function switched(state: PromptState, what: string, on: boolean): Shortcut {
  return { kind: 'state', state, text: `${what} is ${on ? 'on' : 'off'}.` }
}

function showTables(pattern: string): string {
  return pattern === '' ? 'SHOW TABLES' : `SHOW TABLES LIKE '${pattern.replaceAll("'", "''")}'`
}

/** A name as it is typed, or the path of a table that has none. */
function nameText(text: string, { tableNames }: Pick<SqlSession, 'tableNames'>): string {
  const isPath = text.includes('/') && !text.includes('`') && !tableNames.includes(text)
  return isPath ? `delta.\`${text}\`` : text
}
