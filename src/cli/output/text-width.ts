/** How many cells of a terminal a text takes, and texts made safe for one. */

/** East Asian wide and fullwidth blocks, by first and last code point. Source: Unicode, UAX #11. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x20000, 0x3fffd],
]

/** Made when a text asks for it: loading its data takes a twentieth of a second. */
let segmenter: Intl.Segmenter | undefined

/** What a reader takes for one character. */
function clusters(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** Cells a text takes: wide characters and emoji two, combining marks none. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of clusters(text)) width += clusterWidth(segment)
  return width
}

function clusterWidth(cluster: string): number {
  const first = cluster.codePointAt(0)!
  if (/^[\p{Mark}\p{Format}\p{Control}]/u.test(cluster)) return 0
  if (/\p{Emoji_Presentation}/u.test(cluster) || cluster.includes('\ufe0f')) return 2
  return WIDE.some(([from, to]) => first >= from && first <= to) ? 2 : 1
}

/** The text padded with spaces to a width in cells. */
export function pad(text: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)))
  return align === 'left' ? text + space : space + text
}

/** The text cut to a width in cells, with `…` where something was left out. */
export function cut(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let kept = ''
  let used = 0
  for (const { segment } of clusters(text)) {
    const next = clusterWidth(segment)
    if (used + next > width - 1) break
    kept += segment
    used += next
  }
  return `${kept}…`
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Control characters as escapes, so that no cell moves the cursor, breaks a line or colours the terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
    return SHORT_ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
