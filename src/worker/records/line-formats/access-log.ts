/**
 * Access logs of web servers, in the common format of one line a request and in the combined one, which adds referer and
 * user agent. A field that is `-` is null.
 */
import type { LineFields, LineFormat } from './line-format.ts'

const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`
const LINE = new RegExp(
  String.raw`^(\S+) (\S+) (.+?) \[([^\]]+)\] ${QUOTED} (\d{3}) (\d+|-)(?: ${QUOTED} ${QUOTED})?\s*$`,
)
const TIME = /^(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([-+]\d{2})(\d{2})$/
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** A method, what was asked for, and the protocol, which the oldest clients leave out. */
const REQUEST = /^(\S+) (\S+)(?: (\S+))?$/

export const accessLog: LineFormat = {
  name: 'an access log',
  isFixed: true,
  parse(line) {
    const match = LINE.exec(line)
    const time = match === null ? undefined : isoTime(match[4]!)
    return match === null || time === undefined ? undefined : fieldsOf(match, time)
  },
}

function fieldsOf(match: RegExpExecArray, time: string): LineFields {
  const request = unescaped(match[5]!)
  const parts = REQUEST.exec(request)
  return new Map([
    ['host', given(match[1])],
    ['ident', given(match[2])],
    ['user', given(match[3])],
    ['time', time],
    ['request', given(request)],
    ['method', parts?.[1] ?? null],
    ['path', parts?.[2] ?? null],
    ['protocol', parts?.[3] ?? null],
    ['status', match[6]!],
    ['bytes', given(match[7])],
    ['referer', given(match[8] && unescaped(match[8]))],
    ['user_agent', given(match[9] && unescaped(match[9]))],
  ])
}

function given(text: string | undefined): string | null {
  return text === undefined || text === '-' ? null : text
}

/** `10/Oct/2000:13:55:36 -0700` in ISO form. */
function isoTime(text: string): string | undefined {
  const [, day, month, year, clock, hours, minutes] = TIME.exec(text) ?? []
  const number = MONTHS.indexOf(month ?? '') + 1
  if (number === 0) return undefined
  return `${year}-${String(number).padStart(2, '0')}-${day}T${clock}${hours}:${minutes}`
}

const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', v: '\v', f: '\f' }

/** Servers escape quotes, backslashes and what cannot be printed, bytes beyond ASCII too. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/(?:\\x[0-9a-fA-F]{2})+|\\(.)/gs, (escaped, named: string | undefined) => {
    if (named !== undefined) return NAMED[named] ?? named
    const bytes = escaped.split('\\x').slice(1)
    return new TextDecoder().decode(Uint8Array.from(bytes, (hex) => Number.parseInt(hex, 16)))
  })
}
