/** What a quoted text means: escapes, doubled quotes, raw strings. */

const ESCAPE = /\\(?:([0-3][0-7]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))|(''|"")/g
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['b', '\b'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['Z', '\u001a'],
  ['%', '\\%'],
  ['_', '\\_'],
])

/** The value of a token of kind `string`: `'a\nb'`, `"it""s"`, `'\u0041'`, `'\101'`. `\%` and `\_` keep their backslash. */
export function unquoteString(quoted: string): string {
  const quote = quoted[0]!
  return quoted.slice(1, -1).replace(ESCAPE, (whole, octal?: string, u?: string, long?: string, letter?: string) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8))
    if (u !== undefined) return String.fromCharCode(Number.parseInt(u, 16))
    if (long !== undefined) return codePoint(Number.parseInt(long, 16), long)
    if (letter !== undefined) return LETTERS.get(letter) ?? letter
    return whole[0] === quote ? quote : whole
  })
}

/** The value of a token of kind `raw`: nothing in it is an escape. */
export function unquoteRaw(quoted: string): string {
  return quoted.slice(2, -1)
}

function codePoint(code: number, digits: string): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : `U${digits}`
}

/** A text as a string literal that reads back as it. */
export function quoteString(text: string): string {
  return `'${Array.from(text, (character) => QUOTED_LETTERS.get(character) ?? character).join('')}'`
}

const QUOTED_LETTERS: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ["'", "\\'"],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\0', '\\u0000'],
  ['\b', '\\b'],
  ['\u001a', '\\Z'],
])
