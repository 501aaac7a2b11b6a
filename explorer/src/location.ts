/** What the page shows, as its address: a link restores the same screen and Back works. */

export type Pane = 'files' | 'log' | 'rows' | 'about'
export const PANES: readonly Pane[] = ['rows', 'files', 'log', 'about']

export interface Place {
  readonly table: number
  /** null follows the newest version */
  readonly version: number | null
  readonly pane: Pane
  readonly where: string
}

export function readPlace(search: string): Place {
  const params = new URLSearchParams(search)
  const pane = params.get('pane')
  return {
    table: wholeNumber(params.get('table')) ?? 0,
    version: wholeNumber(params.get('version')),
    pane: PANES.find((name) => name === pane) ?? 'rows',
    where: params.get('where') ?? '',
  }
}

export function printPlace(place: Place): string {
  const params = new URLSearchParams()
  if (place.table !== 0) params.set('table', String(place.table))
  if (place.version !== null) params.set('version', String(place.version))
  if (place.pane !== 'rows') params.set('pane', place.pane)
  if (place.where !== '') params.set('where', place.where)
  const text = params.toString()
  return text === '' ? '?' : `?${text}`
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}
