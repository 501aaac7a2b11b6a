/** The fixed beginning of a LIKE pattern. */

export interface LikePrefix {
  /** text that every match begins with */
  readonly prefix: string
  /** what follows it in the pattern, beginning with the first wildcard; empty: a match equals the prefix */
  readonly rest: string
}

/** @param escapeText the character that takes a wildcard's meaning away */
export function likePrefix(pattern: string, escapeText: string): LikePrefix {
  let prefix = ''
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i]!
    if (character === escapeText) {
      const next = pattern[i + 1]
      if (next !== '%' && next !== '_' && next !== escapeText) return { prefix, rest: pattern.slice(i) }
      prefix += next
      i++
    } else if (character === '%' || character === '_') {
      return { prefix, rest: pattern.slice(i) }
    } else {
      prefix += character
    }
  }
  return { prefix, rest: '' }
}
