/** The log: one line a commit, and its actions as the bytes hold them. */
import { useState } from 'preact/hooks'
import { briefName, formatCount, formatMoment } from '../format.ts'
import type { ActionView, OpenedTable, VersionLine } from '../messages.ts'
import type { Remote } from '../remote.ts'
import { useLoaded } from '../use-loaded.ts'
import { FailureBox, Working } from './failure.tsx'
import { explainField } from './log-words.ts'
import { operationWord } from './strip.tsx'

interface Props {
  readonly remote: Remote
  readonly opened: OpenedTable
  readonly chosen: number
  readonly onChoose: (version: number) => void
}

export function LedgerPane({ remote, opened, chosen, onChoose }: Props) {
  const [open, setOpen] = useState<number | null>(null)
  return (
    <section class="pane ledger" aria-label="log">
      <header class="pane-head">
        <h2>Log</h2>
        <span class="quiet">{formatCount(opened.latest - opened.earliest + 1, 'commit')}, newest first</span>
      </header>
      <ol class="commits">
        {opened.versions.map((line) => (
          <li key={line.version} class={line.version === chosen ? 'chosen' : line.version > chosen ? 'later' : ''}>
            <CommitLine line={line} chosen={line.version === chosen} onChoose={onChoose} />
            <button
              type="button"
              class="plain open-actions"
              aria-expanded={open === line.version}
              onClick={() => setOpen(open === line.version ? null : line.version)}
            >
              {open === line.version ? 'hide actions' : 'actions'}
              <span class="visually-hidden"> of version {line.version}</span>
            </button>
            {open === line.version && <Actions remote={remote} id={opened.id} line={line} />}
          </li>
        ))}
      </ol>
    </section>
  )
}

interface LineProps {
  readonly line: VersionLine
  readonly chosen: boolean
  readonly onChoose: (version: number) => void
}

function CommitLine({ line, chosen, onChoose }: LineProps) {
  return (
    <button type="button" class="commit" aria-current={chosen} onClick={() => onChoose(line.version)}>
      <span class="commit-head">
        <span class="version-number">v{line.version}</span>
        <strong>{line.operation}</strong>
        {operationWord(line).toLowerCase() !== line.operation.toLowerCase() && line.operation === 'WRITE' && (
          <span class="tag">{operationWord(line)}</span>
        )}
        <Counts line={line} />
      </span>
      <span class="commit-files">
        {line.removed.slice(0, 4).map((name) => (
          <span key={`-${name}`} class="minus">
            −{briefName(name)}
          </span>
        ))}
        {line.filesRemoved > 4 && <span class="minus">−{line.filesRemoved - 4} more</span>}
        {line.added.slice(0, 4).map((name) => (
          <span key={`+${name}`} class="plus">
            +{briefName(name)}
          </span>
        ))}
        {line.filesAdded > 4 && <span class="plus">+{line.filesAdded - 4} more</span>}
      </span>
      <span class="commit-foot">
        {[line.detail, line.dataChange ? '' : 'no row changed', line.userName ?? '', formatMoment(line.timestampMs)]
          .filter((text) => text !== '')
          .join(' · ')}
        {line.marks.includes('checkpoint') && <span class="tag">checkpoint</span>}
        {line.also.map((what) => (
          <span key={what} class="tag">
            {what}
          </span>
        ))}
      </span>
    </button>
  )
}

export function Counts({ line }: { line: VersionLine }) {
  return (
    <span class="counts">
      {line.filesRemoved > 0 && <span class="minus">−{formatCount(line.filesRemoved, 'file')}</span>}
      {line.filesAdded > 0 && <span class="plus">+{formatCount(line.filesAdded, 'file')}</span>}
      {line.rowsRemoved !== null && line.rowsRemoved > 0 && (
        <span class="minus">−{formatCount(line.rowsRemoved, 'row')}</span>
      )}
      {line.rowsAdded !== null && line.rowsAdded > 0 && <span class="plus">+{formatCount(line.rowsAdded, 'row')}</span>}
    </span>
  )
}

function Actions({ remote, id, line }: { remote: Remote; id: string; line: VersionLine }) {
  const commit = useLoaded(() => remote.commit(id, line.version), [id, line])
  if (commit.failure !== undefined) return <FailureBox failure={commit.failure} />
  if (commit.value === undefined) return <Working what="reading the commit" />
  return (
    <div class="actions">
      <p class="quiet">
        <code>{commit.value.file}</code>, {formatCount(commit.value.actions.length, 'line')}
      </p>
      <ActionList actions={commit.value.actions} />
    </div>
  )
}

export function ActionList({ actions }: { actions: readonly ActionView[] }) {
  const [field, setField] = useState('')
  return (
    <>
      <ul class="action-list">
        {actions.map((action, index) => (
          <li key={index}>
            <details>
              <summary>
                <span class={`action action-${action.kind}`}>{action.kind}</span>
                <span class="action-summary">{action.summary}</span>
              </summary>
              <JsonLines action={action} onField={setField} />
            </details>
          </li>
        ))}
      </ul>
      <p class="field-help" aria-live="polite">
        {field === '' ? 'Open an action and move over a field to read what it means.' : explainField(field)}
      </p>
    </>
  )
}

/** The text of an action, each name of a field a stop of the keyboard. */
function JsonLines({ action, onField }: { action: ActionView; onField: (field: string) => void }) {
  return (
    <pre>
      {action.json.split('\n').map((line, index) => {
        const match = /^(\s*)"([^"]+)":(.*)$/.exec(line)
        if (match === null) return `${line}\n`
        const [, indent = '', name = '', rest = ''] = match
        const field = name === action.kind ? name : `${action.kind}.${name}`
        return (
          <span key={index}>
            {indent}
            <button
              type="button"
              class="plain field"
              onFocus={() => onField(field)}
              onMouseEnter={() => onField(field)}
            >
              "{name}"
            </button>
            :{rest}
            {'\n'}
          </span>
        )
      })}
    </pre>
  )
}
