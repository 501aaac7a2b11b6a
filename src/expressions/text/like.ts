/** LIKE patterns: `%` any text, `_` one code point, an escape before either or before itself. */
import { deltaError } from '../../errors/index.ts'

/** A part of a pattern: a text, any one code point, or any stretch. */
type Part = string | 'one' | 'any'
interface LikeToken {
  readonly kind: 'text' | 'one' | 'any'
  readonly text: string
}

/**
 * The test that a pattern is, in time that grows with pattern times text and never faster.
 *
 * @throws DeltaError `INVALID_FORMAT.ESC_AT_THE_END`, `INVALID_FORMAT.ESC_IN_THE_MIDDLE`
 */
export function compileLike(pattern: string, escapeCharacter: string): (text: string) => boolean {
  const tokens = readTokens(pattern, escapeCharacter)
  return quickTest(tokens) ?? wildcardTest(tokens)
}

function readTokens(pattern: string, escapeCharacter: string): LikeToken[] {
  const tokens: LikeToken[] = []
  const points = Array.from(pattern)
  const push = (kind: LikeToken['kind'], text: string): void => {
    const last = tokens.at(-1)
    if (kind === 'text' && last?.kind === 'text') tokens[tokens.length - 1] = { kind, text: last.text + text }
    else if (kind !== 'any' || last?.kind !== 'any') tokens.push({ kind, text })
  }
  for (let i = 0; i < points.length; i++) {
    const point = points[i]!
    if (point === escapeCharacter) {
      const next = points[++i]
      if (next === undefined) throw deltaError('INVALID_FORMAT.ESC_AT_THE_END', { pattern })
      if (next !== '_' && next !== '%' && next !== escapeCharacter) {
        throw deltaError('INVALID_FORMAT.ESC_IN_THE_MIDDLE', { pattern, character: next })
      }
      push('text', next)
    } else if (point === '%') push('any', '')
    else if (point === '_') push('one', '')
    else push('text', point)
  }
  return tokens
}

/** Patterns of one text with or without `%` at its ends. */
function quickTest(tokens: readonly LikeToken[]): ((text: string) => boolean) | undefined {
  const shape = tokens.map(({ kind }) => kind).join(' ')
  const text = tokens.find(({ kind }) => kind === 'text')?.text ?? ''
  if (shape === '') return (value) => value === ''
  if (shape === 'text') return (value) => value === text
  if (shape === 'any') return () => true
  if (shape === 'text any') return (value) => value.startsWith(text)
  if (shape === 'any text') return (value) => value.endsWith(text)
  if (shape === 'any text any') return (value) => value.includes(text)
  return undefined
}

/** Greedy matching that goes back only to the last `%`. */
function wildcardTest(tokens: readonly LikeToken[]): (text: string) => boolean {
  const parts: Part[] = tokens.flatMap(({ kind, text }) => (kind === 'text' ? Array.from(text) : [kind]))
  const isAny = tokens.flatMap(({ kind, text }) => Array.from(kind === 'text' ? text : ' ', () => kind === 'any'))
  const isOne = tokens.flatMap(({ kind, text }) => Array.from(kind === 'text' ? text : ' ', () => kind === 'one'))
  return (value) => {
    const points = Array.from(value)
    let [at, part, back, star] = [0, 0, 0, -1]
    while (at < points.length) {
      if (part < parts.length && isAny[part]) {
        star = part++
        back = at
      } else if (part < parts.length && (isOne[part] || parts[part] === points[at])) {
        part++
        at++
      } else if (star !== -1) {
        part = star + 1
        at = ++back
      } else return false
    }
    while (part < parts.length && isAny[part]) part++
    return part === parts.length
  }
}
