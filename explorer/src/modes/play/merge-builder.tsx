/** MERGE clause by clause: target and source side by side, and beside each row the clause that would fire. */
import { useState } from 'preact/hooks'
import type { Call, Clause, RowInput, Value } from '../../calls/call.ts'
import type { MergePreview, MergePreviewRow } from '../../messages.ts'
import { FailureBox } from '../../panes/failure.tsx'
import { RowTable } from '../../panes/row-table.tsx'
import type { Remote } from '../../remote.ts'
import { useLoaded } from '../../use-loaded.ts'

type Merge = Extract<Call, { op: 'merge' }>

interface Props {
  readonly remote: Remote
  readonly id: string
  readonly latest: number
  readonly call: Merge
  readonly onCall: (call: Call) => void
}

export function MergeBuilder({ remote, id, latest, call, onCall }: Props) {
  const [step, setStep] = useState<number | null>(null)
  const preview = useLoaded(() => remote.previewMerge(id, call), [id, latest, JSON.stringify(call)])
  const change = (part: Partial<Merge>) => onCall({ ...call, ...part })
  return (
    <div class="merge">
      <label class="merge-on">
        <span class="spelling-title">ON</span>
        <input
          type="text"
          name="on"
          value={call.on}
          spellcheck={false}
          onChange={(event) => change({ on: event.currentTarget.value })}
        />
      </label>
      <Clauses call={call} step={step} onChange={(clauses) => change({ clauses })} />
      <p class="run-line">
        <button
          type="button"
          disabled={call.clauses.length === 0}
          onClick={() => setStep(step === null ? 0 : step + 1 < call.clauses.length ? step + 1 : null)}
        >
          {step === null ? 'Step through the clauses' : `Next clause (${step + 1} of ${call.clauses.length})`}
        </button>
        <span class="quiet">Nothing happens before the call is executed: the clauses only say what is to be done.</span>
      </p>
      {preview.failure !== undefined && <FailureBox failure={preview.failure} />}
      {preview.value !== undefined && <Sides preview={preview.value} clauses={call.clauses} step={step} />}
      <SourceEditor source={call.source} onSource={(source) => change({ source })} />
    </div>
  )
}

const KINDS: readonly {
  readonly title: string
  readonly when: Clause['when']
  readonly action: Clause['action']
  readonly all: boolean
}[] = [
  { title: 'WHEN MATCHED UPDATE ALL', when: 'matched', action: 'update', all: true },
  { title: 'WHEN MATCHED UPDATE', when: 'matched', action: 'update', all: false },
  { title: 'WHEN MATCHED DELETE', when: 'matched', action: 'delete', all: false },
  { title: 'WHEN NOT MATCHED INSERT ALL', when: 'notMatched', action: 'insert', all: true },
  { title: 'WHEN NOT MATCHED INSERT', when: 'notMatched', action: 'insert', all: false },
  { title: 'WHEN NOT MATCHED BY SOURCE UPDATE', when: 'notMatchedBySource', action: 'update', all: false },
  { title: 'WHEN NOT MATCHED BY SOURCE DELETE', when: 'notMatchedBySource', action: 'delete', all: false },
]

export function clauseTitle({ when, action, set }: Clause): string {
  const all = set === '*'
  return KINDS.find((kind) => kind.when === when && kind.action === action && kind.all === all)?.title ?? action
}

interface ClausesProps {
  readonly call: Merge
  readonly step: number | null
  readonly onChange: (clauses: readonly Clause[]) => void
}

function Clauses({ call: { clauses }, step, onChange }: ClausesProps) {
  const put = (index: number, clause: Clause) => onChange(clauses.map((known, i) => (i === index ? clause : known)))
  const move = (index: number, by: number) => {
    const next = [...clauses]
    const [moved] = next.splice(index, 1)
    if (moved !== undefined) next.splice(index + by, 0, moved)
    onChange(next)
  }
  return (
    <ol class="clauses">
      {clauses.map((clause, index) => (
        <li key={index} class={step === index ? 'stepped' : ''}>
          <span class={`clause-number clause-${index % 6}`}>{index + 1}</span>
          <span class="clause-title">{clauseTitle(clause)}</span>
          <label class="clause-if">
            <span class="quiet">only if</span>
            <input
              type="text"
              value={clause.condition}
              placeholder="always"
              spellcheck={false}
              onChange={(event) => put(index, { ...clause, condition: event.currentTarget.value.trim() })}
            />
          </label>
          {clause.set !== '*' && clause.action !== 'delete' && (
            <label class="clause-if">
              <span class="quiet">{clause.action === 'update' ? 'set' : 'values'}</span>
              <input
                type="text"
                value={clause.set.map(([column, sql]) => `${column} = ${sql}`).join(', ')}
                spellcheck={false}
                onChange={(event) => put(index, { ...clause, set: assignments(event.currentTarget.value) })}
              />
            </label>
          )}
          <span class="clause-keys">
            <button
              type="button"
              class="plain"
              disabled={index === 0}
              aria-label="move up"
              onClick={() => move(index, -1)}
            >
              ↑
            </button>
            <button
              type="button"
              class="plain"
              disabled={index === clauses.length - 1}
              aria-label="move down"
              onClick={() => move(index, 1)}
            >
              ↓
            </button>
            <button
              type="button"
              class="plain"
              aria-label="take out"
              onClick={() => onChange(clauses.filter((_, i) => i !== index))}
            >
              ×
            </button>
          </span>
        </li>
      ))}
      <li class="add-clause">
        <label>
          <span class="visually-hidden">add a clause</span>
          <select
            value=""
            onChange={(event) => {
              const kind = KINDS[Number(event.currentTarget.value)]
              event.currentTarget.value = ''
              if (kind !== undefined) onChange([...clauses, freshClause(kind)])
            }}
          >
            <option value="">+ clause</option>
            {KINDS.map(({ title }, index) => (
              <option key={title} value={index}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </li>
    </ol>
  )
}

function freshClause({ when, action, all }: (typeof KINDS)[number]): Clause {
  if (all) return { when, action, set: '*', condition: '' }
  if (action === 'delete') return { when, action, set: [], condition: '' }
  const set: readonly (readonly [string, string])[] =
    when === 'notMatchedBySource'
      ? [['amount', '0.00']]
      : action === 'insert'
        ? [
            ['order_id', 's.order_id'],
            ['amount', 's.amount'],
          ]
        : [['amount', 's.amount']]
  return { when, action, set, condition: '' }
}

/** `a = 1, b = f(x, y)`: commas and equals signs inside brackets and texts do not count. */
export function assignments(text: string): (readonly [string, string])[] {
  const parts: string[] = []
  let depth = 0
  let quoted = false
  let part = ''
  for (const char of text) {
    if (char === "'") quoted = !quoted
    if (!quoted && (char === '(' || char === '[')) depth++
    if (!quoted && (char === ')' || char === ']')) depth--
    if (char === ',' && depth === 0 && !quoted) {
      parts.push(part)
      part = ''
    } else part += char
  }
  return [...parts, part].flatMap((piece) => {
    const at = piece.indexOf('=')
    return at === -1 ? [] : [[piece.slice(0, at).trim(), piece.slice(at + 1).trim()] as const]
  })
}

interface SidesProps {
  readonly preview: MergePreview
  readonly clauses: readonly Clause[]
  readonly step: number | null
}

function Sides({ preview, clauses, step }: SidesProps) {
  const lines = (rows: readonly MergePreviewRow[]) =>
    rows.map((row) => ({ cells: row.cells, end: <Fires row={row} clauses={clauses} step={step} /> }))
  return (
    <div class="sides">
      <div>
        <h3 class="spelling-title">Target t</h3>
        <RowTable label="target rows" columns={preview.targetColumns} rows={lines(preview.target)} endTitle="clause" />
      </div>
      <div>
        <h3 class="spelling-title">Source s</h3>
        <RowTable label="source rows" columns={preview.sourceColumns} rows={lines(preview.source)} endTitle="clause" />
      </div>
    </div>
  )
}

function Fires({ row, clauses, step }: { row: MergePreviewRow; clauses: readonly Clause[]; step: number | null }) {
  const { clause, note } = row
  const shown = clause !== null && (step === null || clause <= step)
  if (note.includes('refused')) return <span class="fires refused">{note}</span>
  if (!shown || clause === null) return <span class="fires none">{note}, none</span>
  return (
    <span class="fires">
      <span class={`clause-number clause-${clause % 6}`}>{clause + 1}</span> {clauses[clause]?.action}
    </span>
  )
}

function SourceEditor({
  source,
  onSource,
}: {
  source: readonly RowInput[]
  onSource: (rows: readonly RowInput[]) => void
}) {
  const [problem, setProblem] = useState('')
  const text = sourceText(source)
  return (
    <details class="drawer">
      <summary>
        <h3>Edit the source</h3>
        <span class="quiet">JSON, one row a line, or CSV with a line of names</span>
      </summary>
      <textarea
        aria-label="source rows"
        spellcheck={false}
        rows={Math.min(12, source.length + 2)}
        defaultValue={text}
        key={text}
        onChange={(event) => {
          try {
            onSource(readSource(event.currentTarget.value))
            setProblem('')
          } catch (error) {
            setProblem(error instanceof Error ? error.message : String(error))
          }
        }}
      />
      <p class="problem" role="status">
        {problem}
      </p>
    </details>
  )
}

function sourceText(rows: readonly RowInput[]): string {
  return rows
    .map((row) => `{ ${row.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(', ')} }`)
    .join('\n')
}

/** @throws Error that says which line is no row */
export function readSource(text: string): RowInput[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines[0]?.trim().startsWith('{') === true || lines[0]?.trim().startsWith('[') === true)
    return readJson(text, lines)
  const [head, ...rest] = lines.map((line) => line.split(',').map((cell) => cell.trim()))
  return rest.map((cells) =>
    (head ?? []).map((name, i): readonly [string, Value] => [name, cells[i] === '' ? null : (cells[i] ?? null)]),
  )
}

function readJson(text: string, lines: readonly string[]): RowInput[] {
  if (text.trim().startsWith('[')) {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.map((item, i) => rowOf(item, i)) : []
  }
  return lines.map((line, i) => {
    try {
      return rowOf(JSON.parse(line.replace(/,\s*$/, '')), i)
    } catch (error) {
      throw new Error(`line ${i + 1}: ${error instanceof Error ? error.message : String(error)}`)
    }
  })
}

function rowOf(item: unknown, index: number): RowInput {
  if (typeof item !== 'object' || item === null) throw new Error(`row ${index + 1} is no object`)
  return Object.entries(item).map(([name, value]): readonly [string, Value] => {
    const simple = value === null || ['string', 'number', 'boolean'].includes(typeof value)
    return [name, simple ? (value as Value) : JSON.stringify(value)]
  })
}
