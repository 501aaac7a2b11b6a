/** Paths of columns as messages write them: `address.city`, `tags.element`, a part with odd characters in backticks. */

/** The dotted text of a path; parts that a reader could take for several, or for none, stand in backticks. */
export function columnPathText(path: readonly string[]): string {
  return path.map((part) => (/^[\p{L}\p{N}_$-]+$/u.test(part) ? part : `\`${part.replaceAll('`', '``')}\``)).join('.')
}

/** The dotted name as commits tell it: only parts that hold a dot stand in backticks. */
export function dottedName(path: readonly string[]): string {
  return path.map((part) => (part.includes('.') ? `\`${part}\`` : part)).join('.')
}
