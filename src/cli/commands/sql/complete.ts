/** Completion at the prompt: words of statements, names of tables, and their columns. */

const WORDS = (
  'SELECT FROM WHERE GROUP BY ORDER LIMIT JOIN LEFT RIGHT FULL CROSS ON USING HAVING WITH AS DISTINCT UNION ALL CASE WHEN ' +
  'THEN ELSE END AND OR NOT NULL IS IN LIKE BETWEEN VERSION TIMESTAMP OF COUNT SUM MIN MAX AVG INSERT INTO OVERWRITE ' +
  'VALUES UPDATE SET DELETE MERGE MATCHED CREATE REPLACE TABLE DROP ALTER ADD COLUMN COLUMNS RENAME TO CONSTRAINT CHECK ' +
  'TBLPROPERTIES UNSET PARTITIONED CLUSTER LOCATION COMMENT DEFAULT GENERATED ALWAYS IDENTITY OPTIMIZE ZORDER VACUUM ' +
  'RETAIN HOURS DRY RUN RESTORE REORG APPLY PURGE CONVERT DELTA GENERATE FSCK REPAIR CHECKPOINT DESCRIBE DETAIL HISTORY ' +
  'EXTENDED SHOW TABLES PARTITIONS EXPLAIN TRUNCATE FEATURE SHALLOW DEEP CLONE RESET'
).split(' ')

const SHORTCUTS = ['\\d', '\\dt', '\\h', '\\timing', '\\pager', '\\?', '\\q']

/**
 * What may stand where the line ends: behind a dot the columns of the table before it, else columns of the tables the
 * line names, tables, and words in the case they are typed in.
 *
 * @param columns of the tables that have names, by the names as they are written
 * @returns the candidates, and the part of the line they take the place of
 */
export function completions(line: string, columns: ReadonlyMap<string, readonly string[]>): [string[], string] {
  if (/^\s*\\\S*$/.test(line)) {
    const typed = line.trimStart()
    return [SHORTCUTS.filter((shortcut) => shortcut.startsWith(typed)), typed]
  }
  const typed = /[\p{L}\p{N}_.]*$/u.exec(line)?.[0] ?? ''
  const dot = typed.lastIndexOf('.')
  const owner = dot === -1 ? undefined : find(columns, typed.slice(0, dot))
  if (owner !== undefined) {
    return [owner.map((column) => typed.slice(0, dot + 1) + column).filter((name) => begins(name, typed)), typed]
  }
  const named = [...columns].filter(([name]) => line.toLowerCase().includes(name.toLowerCase()))
  const names = [...new Set([...named.flatMap(([, own]) => own), ...columns.keys()])].filter((name) =>
    begins(name, typed),
  )
  const lower = typed !== '' && typed === typed.toLowerCase()
  const words = WORDS.filter((word) => begins(word, typed)).map((word) => (lower ? word.toLowerCase() : word))
  return [typed === '' ? names : [...names, ...words], typed]
}

function find(columns: ReadonlyMap<string, readonly string[]>, name: string): readonly string[] | undefined {
  return [...columns].find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1]
}

function begins(name: string, typed: string): boolean {
  return name.toLowerCase().startsWith(typed.toLowerCase())
}
