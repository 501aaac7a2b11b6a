/** A call in its two editable spellings side by side: typing in one fills the other. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Call, ColumnTypes } from '../../calls/call.ts'
import { printSql } from '../../calls/print-sql.ts'
import { printTypeScript } from '../../calls/print-typescript.ts'
import { CallTextError, readTypeScript } from '../../calls/read-typescript.ts'
import type { Failure, Performed } from '../../messages.ts'
import { FailureBox } from '../../panes/failure.tsx'
import { ActionList } from '../../panes/ledger.tsx'
import { RowTable } from '../../panes/row-table.tsx'
import type { Remote } from '../../remote.ts'
import { failureFrom } from '../../use-loaded.ts'
import { EXAMPLES } from './examples.ts'
import { MergeBuilder } from './merge-builder.tsx'

interface Props {
  readonly remote: Remote
  readonly id: string
  readonly latest: number
  readonly types: ColumnTypes
  readonly call: Call
  readonly onCall: (call: Call) => void
  readonly onRun: (call: Call) => void
  readonly busy: boolean
  readonly failure: Failure | null
  readonly performed: Performed | null
}

export function CallBuilder(props: Props) {
  const { call, latest, busy } = props
  /** what was typed last, read or being read; undefined when the call is not from a text, null when it is none */
  const typing = useRef<Promise<Call | null> | undefined>(undefined)
  const onCall = (chosen: Call) => {
    typing.current = undefined
    props.onCall(chosen)
  }
  const onRun = async () => {
    const typed = await typing.current
    if (typed !== null) props.onRun(typed ?? call)
  }
  const example = EXAMPLES.find(({ op }) => op === call.op)
  return (
    <section class="pane builder" aria-label="call builder">
      <div class="ops" role="toolbar" aria-label="calls">
        {EXAMPLES.map(({ op, title, call: make }) => (
          <button key={op} type="button" class="op" aria-pressed={call.op === op} onClick={() => onCall(make(latest))}>
            {title}
          </button>
        ))}
      </div>
      <p class="says">{example?.says ?? ''}</p>
      {call.op === 'merge' && <MergeBuilder {...props} call={call} onCall={onCall} />}
      <Spellings {...props} typing={typing} onRun={onRun} />
      <p class="run-line">
        <button type="button" class="primary" disabled={busy} onClick={() => void onRun()}>
          {busy ? 'Running…' : 'Run'}
        </button>
        <span class="quiet">or Ctrl+Enter in a spelling</span>
      </p>
      <Outcome failure={props.failure} performed={props.performed} />
    </section>
  )
}

type Form = 'typescript' | 'sql'

interface SpellingsProps extends Omit<Props, 'onRun'> {
  readonly typing: { current: Promise<Call | null> | undefined }
  readonly onRun: () => Promise<void>
}

function Spellings({ remote, id, call, types, onCall, onRun, typing }: SpellingsProps) {
  const [texts, setTexts] = useState({ typescript: printTypeScript(call), sql: printSql(call, types) })
  const [problem, setProblem] = useState<{ form: Form; text: string } | null>(null)
  const typed = useRef<Form | null>(null)
  const source = call.op === 'merge' ? call.source : undefined
  useEffect(() => {
    // what is being typed stays as it was typed
    const fresh = { typescript: printTypeScript(call), sql: printSql(call, types) }
    setTexts((known) => (typed.current === null ? fresh : { ...fresh, [typed.current]: known[typed.current] }))
    typed.current = null
    setProblem(null)
  }, [call, types])
  const read = async (form: Form, text: string): Promise<Call> => {
    if (form === 'typescript') return readTypeScript(text)
    const call = await remote.readSql(id, text)
    // the statement names the source and does not hold its rows
    return call.op === 'merge' && source !== undefined ? { ...call, source } : call
  }
  const onTyped = async (form: Form, text: string) => {
    setTexts((known) => ({ ...known, [form]: text }))
    const reading = read(form, text)
    typing.current = reading.catch(() => null)
    const latest = typing.current
    try {
      const typedCall = await reading
      if (typing.current !== latest) return
      typed.current = form
      onCall(typedCall)
      setProblem(null)
    } catch (error) {
      if (typing.current !== latest) return
      const message = error instanceof CallTextError ? error.message : failureFrom(error).message
      setProblem({ form, text: message })
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    void onRun()
  }
  return (
    <div class="spellings">
      {(['typescript', 'sql'] as const).map((form) => (
        <div key={form} class="spelling">
          <label>
            <span class="spelling-title">{form === 'typescript' ? 'TypeScript' : 'SQL'}</span>
            <textarea
              name={form}
              spellcheck={false}
              rows={Math.min(16, Math.max(4, texts[form].split('\n').length + 1))}
              value={texts[form]}
              aria-invalid={problem?.form === form}
              onInput={(event) => void onTyped(form, event.currentTarget.value)}
              onKeyDown={onKeyDown}
            />
          </label>
          <p class="problem" role="status">
            {problem?.form === form ? problem.text : ''}
          </p>
        </div>
      ))}
    </div>
  )
}

function Outcome({ failure, performed }: { failure: Failure | null; performed: Performed | null }) {
  if (failure !== null) {
    return (
      <div class="outcome-box">
        <p class="refused-line">Refused: nothing changed.</p>
        <FailureBox failure={failure} />
      </div>
    )
  }
  if (performed === null) return null
  const { version, notes, actions, answer } = performed
  return (
    <div class="outcome-box" role="status">
      <p class="done-line">
        {version === null ? 'Done, no commit' : `Version ${version}`}
        {notes.length > 0 && `: ${notes.join('; ')}`}
      </p>
      {answer !== null && (
        <RowTable label="answer" columns={answer.columns} rows={answer.rows.map((cells) => ({ cells }))} />
      )}
      {actions.length > 0 && (
        <div class="spelling">
          <h3 class="spelling-title">Actions written</h3>
          <ActionList actions={actions} />
        </div>
      )}
    </div>
  )
}
