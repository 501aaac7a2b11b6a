/** Names of tables: a dotted path whose parts are quoted where they hold a dot or a quote. */

export function printName(parts: readonly string[]): string {
  return parts.map((part) => (/[".]/.test(part) ? `"${part.replaceAll('"', '""')}"` : part)).join('.')
}

/** @returns undefined for a text that is no such path */
export function parseName(text: string): string[] | undefined {
  const parts: string[] = []
  const item = /(?:"((?:[^"]|"")*)"|([^".]+))(\.|$)/gy
  for (let end = 0; end < text.length || parts.length === 0; end = item.lastIndex) {
    const match = item.exec(text)
    if (match === null) return undefined
    parts.push(match[1]?.replaceAll('""', '"') ?? match[2]!)
    if (match[3] === '' && item.lastIndex === text.length) return parts
  }
  return undefined
}

/** Whether two names mean the same to SQL. */
export function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
