/** The log read as a report: who changed the table, when, with what, and how much. */
import { formatMoment } from '../../format.ts'
import type { OpenedTable } from '../../messages.ts'
import { RowTable } from '../../panes/row-table.tsx'
import type { Remote } from '../../remote.ts'
import { useLoaded } from '../../use-loaded.ts'

const COLUMNS = ['version', 'when', 'who', 'operation', 'asked for', 'came to', 'note'].map((name) => ({
  name,
  type: '',
}))

export function CommitReport({ remote, opened, revision }: { remote: Remote; opened: OpenedTable; revision: number }) {
  const lines = useLoaded(
    () => remote.versions(opened.id, opened.latest, opened.latest - opened.earliest + 1),
    [opened.id, revision],
  )
  return (
    <RowTable
      label="history of the table"
      columns={COLUMNS}
      rows={(lines.value ?? []).map((line) => ({
        cells: [
          String(line.version),
          formatMoment(line.timestampMs),
          line.userName ?? '',
          line.operation,
          line.parameters.map(([key, value]) => `${key}: ${value}`).join(', '),
          line.detail,
          line.userMetadata ?? '',
        ],
      }))}
    />
  )
}
