/** What the page shows, as its address: a link restores the same screen and Back works. */

export const MODES = ['guide', 'play', 'explore', 'worker'] as const
export type Mode = (typeof MODES)[number]

export const PANES = ['rows', 'files', 'folder', 'log', 'changes', 'story', 'sql', 'about'] as const
export type Pane = (typeof PANES)[number]

export interface Place {
  /** null: whatever the page opens with */
  readonly mode: Mode | null
  /** chapter of the guide */
  readonly step: string
  /** table of the serving process */
  readonly table: number
  /** address of a table, where it comes from one */
  readonly url: string
  /** null follows the newest version */
  readonly version: number | null
  /** the version to compare with */
  readonly against: number | null
  readonly pane: Pane
  readonly where: string
  /** path of the open file */
  readonly file: string
  /** predicate of the row whose history is shown */
  readonly row: string
  readonly sql: string
  /** version of a repository; empty: the one HEAD's branch names */
  readonly ref: string
  /** of the version's catalog; null: its newest */
  readonly snapshot: number | null
  /** table of the version: `main.orders` */
  readonly name: string
}

export const START: Place = {
  mode: null,
  step: '',
  table: 0,
  url: '',
  version: null,
  against: null,
  pane: 'rows',
  where: '',
  file: '',
  row: '',
  sql: '',
  ref: '',
  snapshot: null,
  name: '',
}

export function readPlace(search: string): Place {
  const params = new URLSearchParams(search)
  const mode = params.get('mode')
  const pane = params.get('pane')
  return {
    mode: MODES.find((name) => name === mode) ?? null,
    step: params.get('step') ?? '',
    table: wholeNumber(params.get('table')) ?? 0,
    url: params.get('url') ?? '',
    version: wholeNumber(params.get('version')),
    against: wholeNumber(params.get('against')),
    pane: PANES.find((name) => name === pane) ?? 'rows',
    where: params.get('where') ?? '',
    file: params.get('file') ?? '',
    row: params.get('row') ?? '',
    sql: params.get('sql') ?? '',
    ref: params.get('ref') ?? '',
    snapshot: wholeNumber(params.get('snapshot')),
    name: params.get('name') ?? '',
  }
}

export function printPlace(place: Place): string {
  const params = new URLSearchParams()
  for (const [key, value] of Object.entries(place)) {
    if (value !== null && value !== START[key as keyof Place]) params.set(key, String(value))
  }
  return `?${params.toString()}`
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}
