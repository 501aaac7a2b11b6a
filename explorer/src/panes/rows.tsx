/** What a reader gets at the chosen version, a page at a time. */
import { useEffect, useState } from 'preact/hooks'
import type { Reader, RowPage } from '../messages.ts'
import { useLoaded } from '../use-loaded.ts'
import { FailureBox, Working } from './failure.tsx'
import { WhereBox } from './where.tsx'

const PAGE_ROWS = 50

interface Props {
  readonly reader: Reader
  readonly version: number
  readonly where: string
  readonly onWhere: (where: string) => void
}

export function RowsPane({ reader, version, where, onWhere }: Props) {
  const [offset, setOffset] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version or predicate begins at its first row
  useEffect(() => setOffset(0), [version, where])
  const page = useLoaded(() => reader.rows(version, where, offset, PAGE_ROWS), [version, where, offset])
  return (
    <section aria-label="rows" aria-busy={page.loading}>
      <WhereBox where={where} onWhere={onWhere} />
      {page.failure !== undefined && <FailureBox failure={page.failure} />}
      {page.value === undefined && page.failure === undefined && <Working what="reading rows" />}
      {page.value !== undefined && <RowTable page={page.value} offset={offset} />}
      {page.value !== undefined && (
        <p class="pager">
          <button type="button" disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE_ROWS))}>
            Previous
          </button>
          <span>{rangeText(offset, page.value.rows.length)}</span>
          <button type="button" disabled={!page.value.more} onClick={() => setOffset(offset + PAGE_ROWS)}>
            Next
          </button>
        </p>
      )}
    </section>
  )
}

function rangeText(offset: number, shown: number): string {
  return shown === 0
    ? 'no rows'
    : `rows ${(offset + 1).toLocaleString('en')} to ${(offset + shown).toLocaleString('en')}`
}

function RowTable({ page, offset }: { page: RowPage; offset: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label="table of rows">
      <table>
        <thead>
          <tr>
            {page.columns.map(({ name, type }) => (
              <th key={name} scope="col">
                {name} <span class="quiet">{type}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {page.rows.map((row, index) => (
            <tr key={offset + index}>
              {row.map((cell, column) => (
                <td key={page.columns[column]?.name} class={cell === null ? 'null' : ''}>
                  {cell === null ? 'null' : cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
