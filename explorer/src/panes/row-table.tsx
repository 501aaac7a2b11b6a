/** Rows with their heads: the one table the page draws. */
import type { ComponentChildren } from 'preact'
import type { Cell, ColumnHead, RowFate } from '../messages.ts'

export interface RowLine {
  readonly cells: readonly Cell[]
  readonly fate?: RowFate
  readonly changed?: readonly number[]
  /** what stands in a column of its own at the end */
  readonly end?: ComponentChildren
}

interface Props {
  readonly label: string
  readonly columns: readonly ColumnHead[]
  readonly rows: readonly RowLine[]
  readonly sort?: { readonly column: number; readonly descending: boolean } | null
  readonly onSort?: (column: number) => void
  readonly endTitle?: string
  readonly withFates?: boolean
}

const FATE_SIGNS: Readonly<Record<RowFate, string>> = { same: '', new: '+', changed: '~', gone: '−' }
const FATE_WORDS: Readonly<Record<RowFate, string>> = {
  same: 'unchanged',
  new: 'new',
  changed: 'changed',
  gone: 'gone',
}

export function RowTable({ label, columns, rows, sort, onSort, endTitle, withFates = false }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {withFates && (
              <th scope="col" class="fate">
                <span class="visually-hidden">what the commit did</span>
              </th>
            )}
            {columns.map(({ name, type }, index) => (
              <th key={name} scope="col" aria-sort={ariaSort(sort, index)} class={isNumeric(type) ? 'number' : ''}>
                {onSort === undefined ? (
                  <Head name={name} type={type} />
                ) : (
                  <button type="button" class="plain sort" onClick={() => onSort(index)}>
                    <Head name={name} type={type} />
                    <span aria-hidden="true" class="sort-sign">
                      {sort?.column === index ? (sort.descending ? '↓' : '↑') : ''}
                    </span>
                  </button>
                )}
              </th>
            ))}
            {endTitle !== undefined && <th scope="col">{endTitle}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index} class={row.fate === undefined || row.fate === 'same' ? '' : `row-${row.fate}`}>
              {withFates && (
                <td class="fate">
                  {row.fate !== undefined && row.fate !== 'same' && (
                    <>
                      <span aria-hidden="true">{FATE_SIGNS[row.fate]}</span>
                      <span class="visually-hidden">{FATE_WORDS[row.fate]}</span>
                    </>
                  )}
                </td>
              )}
              {row.cells.map((cell, column) => (
                <td
                  key={columns[column]?.name ?? column}
                  class={`${cell === null ? 'null' : ''}${isNumeric(columns[column]?.type ?? '') ? ' number' : ''}${row.changed?.includes(column) ? ' cell-changed' : ''}`}
                >
                  {cell === null ? 'null' : cell}
                </td>
              ))}
              {endTitle !== undefined && <td class="row-end">{row.end}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Head({ name, type }: ColumnHead) {
  return (
    <span class="column-head">
      {name} <span class="column-type">{type}</span>
    </span>
  )
}

function ariaSort(sort: Props['sort'], index: number) {
  if (sort === null || sort === undefined || sort.column !== index) return undefined
  return sort.descending ? ('descending' as const) : ('ascending' as const)
}

function isNumeric(type: string): boolean {
  return /^(byte|short|int|integer|long|bigint|smallint|tinyint|float|double|decimal)/i.test(type)
}
