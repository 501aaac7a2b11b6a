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
