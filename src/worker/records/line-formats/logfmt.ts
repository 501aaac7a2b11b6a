/** Lines of `key=value`: values with spaces are quoted, a key alone is true. */
import type { LineFormat } from './line-format.ts'

const PAIR = /\s*([^\s="]+)(?:=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*)))?(?=\s|$)/gy

export const logfmt: LineFormat = {
  name: 'logfmt',
  isFixed: false,
  parse(line) {
    const text = line.trimEnd()
    const fields = new Map<string, string | null>()
    PAIR.lastIndex = 0
    while (PAIR.lastIndex < text.length) {
      const match = PAIR.exec(text)
      if (match === null || fields.has(match[1]!)) return undefined
      fields.set(match[1]!, valueOfPair(match))
    }
    return fields
  },
}

/** Nothing behind the sign is null, an empty text is quoted. */
function valueOfPair([pair, , quoted, plain]: RegExpExecArray): string | null {
  if (quoted !== undefined) return unquote(quoted)
  if (plain !== undefined) return plain === '' ? null : plain
  return pair.endsWith('=') ? null : 'true'
}

const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

function unquote(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, unit: string | undefined, named: string) =>
    unit === undefined ? (NAMED[named] ?? named) : String.fromCharCode(Number.parseInt(unit, 16)),
  )
}
