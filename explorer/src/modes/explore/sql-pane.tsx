/** SQL over the tables of the serving process: run there by its engine, shown here as rows and as a chart. */
import { useState } from 'preact/hooks'
import { formatCount } from '../../format.ts'
import type { Cell, ColumnHead, Failure, ServedTable } from '../../messages.ts'
import { FailureBox } from '../../panes/failure.tsx'
import { RowTable } from '../../panes/row-table.tsx'
import { runServed } from '../../served.ts'
import { failureFrom } from '../../use-loaded.ts'
import { ChartOf, chartable } from './chart.tsx'

export interface SqlAnswer {
  readonly columns: readonly ColumnHead[]
  readonly rows: readonly (readonly Cell[])[]
  readonly more: boolean
}

interface Props {
  readonly served: ServedTable
  readonly tables: readonly ServedTable[]
  readonly sql: string
  readonly onSql: (sql: string) => void
}

interface Ran {
  readonly answer: SqlAnswer
  readonly ms: number
}

export function SqlPane({ served, tables, sql, onSql }: Props) {
  const [text, setText] = useState(sql === '' ? `SELECT *\nFROM ${served.statementName}\nLIMIT 100` : sql)
  const [ran, setRan] = useState<Ran | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [busy, setBusy] = useState(false)
  const run = async (statement: string) => {
    setBusy(true)
    onSql(text)
    const start = performance.now()
    try {
      const answer = await runServed<SqlAnswer>(statement)
      setRan({ answer, ms: performance.now() - start })
      setFailure(null)
    } catch (error) {
      setFailure(failureFrom(error))
    }
    setBusy(false)
  }
  return (
    <section class="pane sql" aria-label="SQL" aria-busy={busy}>
      <label class="spelling">
        <span class="spelling-title">Statement</span>
        <textarea
          name="sql"
          rows={5}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            void run(text)
          }}
        />
      </label>
      <p class="run-line">
        <button type="button" class="primary" disabled={busy} onClick={() => void run(text)}>
          {busy ? 'Running…' : 'Run'}
        </button>
        <button type="button" disabled={busy} onClick={() => void run(`EXPLAIN ${text}`)}>
          Explain
        </button>
        <span class="quiet">
          {tables.length === 1 ? 'The table is' : 'Tables are'}{' '}
          {tables
            .slice(0, 12)
            .map(({ statementName }) => statementName)
            .join(', ')}
          ; an older version: {served.statementName} VERSION AS OF 0
        </span>
      </p>
      {failure !== null && <FailureBox failure={failure} />}
      {failure === null && ran !== null && <Answer ran={ran} />}
    </section>
  )
}

function Answer({ ran: { answer, ms } }: { ran: Ran }) {
  const [chart, setChart] = useState(false)
  const { columns, rows, more } = answer
  const plan = columns.length === 1 && /plan/i.test(columns[0]?.name ?? '')
  return (
    <>
      <p class="run-line" role="status">
        <span>
          {formatCount(rows.length, 'row')}
          {more && ', and more'} in {Math.round(ms)} ms
        </span>
        {chartable(answer) && (
          <label class="inline">
            <input type="checkbox" checked={chart} onChange={(event) => setChart(event.currentTarget.checked)} />
            <span>as a chart</span>
          </label>
        )}
      </p>
      {chart && chartable(answer) && <ChartOf answer={answer} />}
      {plan ? (
        <pre class="plan">{rows.map((row) => row[0] ?? '').join('\n')}</pre>
      ) : (
        <RowTable label="answer" columns={columns} rows={rows.map((cells) => ({ cells }))} />
      )}
    </>
  )
}
