/** Numbers and times as the page prints them. */

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** `1.4 MB`; decimal units, as stores bill them. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${UNITS[unit]}`
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/** `2024-02-29 12:00:00 UTC`, whatever the zone of the browser. */
export function formatTime(ms: number | null): string {
  return ms === null ? 'time unknown' : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** `29 Feb 2024, 12:00`, in UTC. */
export function formatMoment(ms: number | null): string {
  if (ms === null) return 'time unknown'
  const [, month, day, year, time] =
    /^\w+, (\w+) (\d+), (\d+), (.+)$/.exec(
      new Date(ms)
        .toLocaleString('en-US', {
          timeZone: 'UTC',
          weekday: 'short',
          month: 'short',
          day: 'numeric',
          year: 'numeric',
          hour: '2-digit',
          minute: '2-digit',
          hourCycle: 'h23',
        })
        .replace(' at ', ', '),
    ) ?? []
  return month === undefined ? formatTime(ms) : `${day} ${month} ${year}, ${time}`
}

/** `part-1f3a9c0e`: enough of a name to tell files apart. */
export function briefName(name: string): string {
  const match = /^((?:part|cdc)-(?:\d+-)?[0-9a-f]{8})/.exec(name)
  if (match !== null) return match[1]!
  return name.length <= 26 ? name : `${name.slice(0, 18)}…${name.slice(-7)}`
}

/** A value as SQL writes it, for a column of a type. */
export function sqlLiteral(value: string | null, type: string): string {
  if (value === null) return 'NULL'
  if (/^(byte|short|int|integer|long|bigint|smallint|tinyint|decimal|boolean)/i.test(type)) return value
  const text = `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  if (/^timestamp/i.test(type)) return `timestamp${text}`
  return /^date/i.test(type) ? `date${text}` : text
}
