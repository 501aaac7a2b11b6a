/** Strings by code point, quickly where there are no surrogates. */

const SURROGATE = /[\ud800-\udfff]/

function isPlain(text: string): boolean {
  return !SURROGATE.test(text)
}

export function pointLength(text: string): number {
  if (isPlain(text)) return text.length
  let length = 0
  for (const _ of text) length++
  return length
}

/** Code points from `start` up to `end`, both counted from 0; negative ones are 0. */
export function slicePoints(text: string, start: number, end: number): string {
  const [from, to] = [Math.max(0, start), Math.max(0, end)]
  if (from >= to) return ''
  return isPlain(text) ? text.slice(from, to) : Array.from(text).slice(from, to).join('')
}

/** 0-based position in code points, -1 where it is not found at or after `from`. */
export function indexOfPoint(text: string, wanted: string, from: number): number {
  if (isPlain(text)) return text.indexOf(wanted, from)
  const prefix = Array.from(text).slice(0, from).join('').length
  const at = text.indexOf(wanted, prefix)
  return at === -1 ? -1 : pointLength(text.slice(0, at))
}

/** The stretch that SUBSTRING means: position from 1, from the end where negative; as 0-based start and end. */
export function sqlStretch(position: number, length: number, size: number): { start: number; end: number } {
  const start = position > 0 ? position - 1 : position < 0 ? size + position : 0
  return { start, end: Math.min(start + length, 2 ** 31 - 1) }
}

export function sqlSubstring(text: string, position: number, length: number): string {
  const { start, end } = sqlStretch(position, length, position < 0 ? pointLength(text) : 0)
  return slicePoints(text, start, end)
}
