/**
 * Messages of syslog, in the form of RFC 5424 and in the older one of RFC 3164, whose time has neither year nor zone: it is
 * taken as UTC, in the year that brings it nearest to now.
 */
import type { LineFields, LineFormat } from './line-format.ts'

const PRIORITY = /^<(\d{1,3})>/
const NEW_FORM = /^(\d{1,2}) (\S+) (\S+) (\S+) (\S+) (\S+) (-|(?:\[(?:[^"\]]|"(?:[^"\\\]]|\\.)*")*\])+)(?: (.*))?$/s
const OLD_FORM = /^([A-Z][a-z]{2}) ([ \d]\d) (\d{2}:\d{2}:\d{2}) (\S+) (?:([^\s:[]{1,48})(?:\[([^\]]*)\])?: ?)?(.*)$/s
const ELEMENT = /\[(\S+?)((?: \S+?="(?:[^"\\\]]|\\.)*")*)\]/g
const PARAMETER = / (\S+?)="((?:[^"\\\]]|\\.)*)"/g
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const HIGHEST_PRIORITY = 191

/** @param now milliseconds since 1970, for the year of old times */
export function syslogFormat(now: () => number = Date.now): LineFormat {
  return {
    name: 'a syslog message',
    isFixed: true,
    parse(line) {
      const priority = Number(PRIORITY.exec(line)?.[1] ?? Number.NaN)
      if (!(priority <= HIGHEST_PRIORITY)) return undefined
      const text = line.slice(line.indexOf('>') + 1)
      const fields = newForm(text) ?? oldForm(text, now())
      if (fields === undefined) return undefined
      return new Map([['facility', String(priority >> 3)], ['severity', String(priority & 7)], ...fields])
    },
  }
}

type Fields = [string, string | null][]

function newForm(text: string): LineFields | undefined {
  const match = NEW_FORM.exec(text)
  if (match === null) return undefined
  const [, version, time, host, app, process, id, data, message] = match
  return new Map([
    ['version', version!],
    ['time', given(time)],
    ['host', given(host)],
    ['app', given(app)],
    ['process', given(process)],
    ['message_id', given(id)],
    ['data', data === '-' ? null : JSON.stringify(elementsOf(data!))],
    ['message', message === undefined ? null : message.replace(/^\ufeff/, '')],
  ] satisfies Fields)
}

function given(text: string | undefined): string | null {
  return text === undefined || text === '-' ? null : text
}

/** Structured data: element → parameter → value. */
function elementsOf(data: string): Record<string, Record<string, string>> {
  const elements = new Map<string, Record<string, string>>()
  for (const [, id, parameters] of data.matchAll(ELEMENT)) {
    const values = [...parameters!.matchAll(PARAMETER)].map(([, name, value]) => [name!, unescaped(value!)] as const)
    elements.set(id!, Object.fromEntries(values))
  }
  return Object.fromEntries(elements)
}

function unescaped(value: string): string {
  return value.replace(/\\(["\\\]])/g, '$1')
}

function oldForm(text: string, now: number): LineFields | undefined {
  const [whole, month, day, clock, host, app, process, message] = OLD_FORM.exec(text) ?? []
  if (whole === undefined) return undefined
  const time = nearestYear(MONTHS.indexOf(month!), Number(day), clock!, now)
  if (time === undefined) return undefined
  return new Map([
    ['time', time],
    ['host', host!],
    ['app', app ?? null],
    ['process', process || null],
    ['message', message ?? ''],
  ] satisfies Fields)
}

function nearestYear(month: number, day: number, clock: string, now: number): string | undefined {
  const thisYear = new Date(now).getUTCFullYear()
  const times = [thisYear - 1, thisYear, thisYear + 1]
    .map((year) => `${year}-${String(month + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}T${clock}Z`)
    .filter((text) => isDay(text))
  return times.sort((a, b) => Math.abs(Date.parse(a) - now) - Math.abs(Date.parse(b) - now))[0]
}

/** Whether the calendar has it: the 29th of February is in few years. */
function isDay(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10))
}
