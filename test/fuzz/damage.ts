/** Ways to damage a file of a log, chosen by a seed. */

/** Numbers from 0 up to but not including a limit, the same for the same seed. */
export type Random = (limit: number) => number

/** The mulberry32 generator. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) % limit
  }
}

/** @returns other bytes, and never the same array */
export type Damage = (bytes: Buffer, random: Random) => Buffer

const HUGE = ['9'.repeat(40), '-1', '9223372036854775808', '1e400', '-1e-400', '9007199254740993', '1.5', '-0', 'NaN']
const ODD = ['null', '[]', '{}', '""', 'true', '"\\u0000"', '"\\ud800"', '"../../x"', '"%00%zz"']

const anyFile: Readonly<Record<string, Damage>> = {
  flip(bytes, random) {
    const copy = Buffer.from(bytes)
    for (let i = random(4); i >= 0; i--) copy[random(copy.length)] = random(256)
    return copy
  },
  cut: (bytes, random) => Buffer.from(bytes.subarray(0, random(bytes.length))),
  hole(bytes, random) {
    const copy = Buffer.from(bytes)
    const start = random(copy.length)
    return copy.fill(0, start, Math.min(copy.length, start + 1 + random(64)))
  },
  repeat(bytes, random) {
    const start = random(bytes.length)
    const piece = bytes.subarray(start, start + 1 + random(200))
    return Buffer.concat([bytes.subarray(0, start), piece, piece, bytes.subarray(start)])
  },
  emptied: () => Buffer.alloc(0),
}

const jsonFile: Readonly<Record<string, Damage>> = {
  lineCut: (bytes, random) => ofLines(bytes, (lines) => lines.splice(random(lines.length), 1)),
  lineTwice: (bytes, random) => ofLines(bytes, (lines) => lines.push(lines[random(lines.length)]!)),
  linesTurned: (bytes) => ofLines(bytes, (lines) => lines.reverse()),
  fieldGone: (bytes, random) =>
    ofMatch(bytes, random, /"\w+":("[^"\\]*"|-?\d+|true|false|null|\{\}|\[\]),?/g, () => ''),
  fieldRenamed: (bytes, random) => ofMatch(bytes, random, /"\w+":/g, () => '"__proto__":'),
  hugeNumber: (bytes, random) => ofMatch(bytes, random, /-?\b\d+\b/g, () => HUGE[random(HUGE.length)]!),
  otherType: (bytes, random) => {
    return ofMatch(bytes, random, /(?<=":)("[^"\\]*"|-?\d+|true|false)/g, () => ODD[random(ODD.length)]!)
  },
  deep: (bytes, random) => {
    const depth = 1 + random(20_000)
    return ofMatch(
      bytes,
      random,
      /(?<=":)("[^"\\]*"|-?\d+|true|false)/g,
      () => `${'['.repeat(depth)}${']'.repeat(depth)}`,
    )
  },
}

function ofLines(bytes: Buffer, change: (lines: string[]) => unknown): Buffer {
  const lines = bytes.toString('latin1').split('\n')
  change(lines)
  return Buffer.from(lines.join('\n'), 'latin1')
}

/** Replaces one match, chosen at random. */
function ofMatch(bytes: Buffer, random: Random, pattern: RegExp, replacement: () => string): Buffer {
  const text = bytes.toString('latin1')
  const matches = [...text.matchAll(pattern)]
  const match = matches[random(Math.max(1, matches.length))]
  if (match === undefined) return Buffer.from(bytes)
  const end = match.index + match[0].length
  return Buffer.from(`${text.slice(0, match.index)}${replacement()}${text.slice(end)}`, 'latin1')
}

/** The damages that can be done to a file of a name. */
export function damagesOf(name: string): readonly (readonly [string, Damage])[] {
  const isText = /\.(json|crc)$|_last_checkpoint$/.test(name)
  return Object.entries(isText ? { ...anyFile, ...jsonFile } : anyFile)
}
