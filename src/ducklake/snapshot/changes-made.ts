/**
 * What a snapshot did, in the words of the catalog.
 *
 * Only these words exist: another one makes the extension refuse to list snapshots. Source: DuckLake,
 * "ducklake_snapshot_changes".
 */

/** `created_table` with a name of one part or more, `inserted_into_table` with an id. */
export interface LakeChange {
  readonly word: string
  /** of what was created */
  readonly name?: readonly string[]
  /** of what was changed or dropped */
  readonly id?: number
}

/** Words that later formats might add are kept as they stand. */
export function parseChanges(text: string): LakeChange[] {
  const changes: LakeChange[] = []
  const item = /([a-z_]+):((?:"(?:[^"]|"")*"\.?)+|\d+)(?:,|$)/gy
  for (let match = item.exec(text); match !== null; match = item.exec(text)) {
    const [, word, value] = match as unknown as [string, string, string]
    if (!value.startsWith('"')) changes.push({ word, id: Number(value) })
    else
      changes.push({
        word,
        name: [...value.matchAll(/"((?:[^"]|"")*)"/g)].map((part) => part[1]!.replaceAll('""', '"')),
      })
  }
  return changes
}

export function printChanges(changes: readonly LakeChange[]): string {
  return changes
    .map(({ word, name, id }) => `${word}:${name === undefined ? id : name.map(quoted).join('.')}`)
    .join(',')
}

function quoted(part: string): string {
  return `"${part.replaceAll('"', '""')}"`
}

/** Words behind which stands the id of a table. */
const TABLE_WORDS =
  /^(?:dropped_table|inserted_into_table|deleted_from_table|altered_table|compacted_table|merge_adjacent|rewrite_delete|inlined_insert|inlined_delete|inline_flush)$/

/** Whether a snapshot says something of a table. */
export function concernsTable(text: string, table: { readonly id: number; readonly path: readonly string[] }): boolean {
  return parseChanges(text).some(({ word, name, id }) => {
    if (id !== undefined) return id === table.id && TABLE_WORDS.test(word)
    return (
      word === 'created_table' && name?.length === table.path.length && name.every((part, i) => part === table.path[i])
    )
  })
}
