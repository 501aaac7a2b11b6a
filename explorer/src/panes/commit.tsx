/** The chosen version's commit: who, what with, and its actions as the bytes hold them. */
import { formatCount, formatTime } from '../format.ts'
import type { Remote } from '../remote.ts'
import { useLoaded } from '../use-loaded.ts'
import { FailureBox, Working } from './failure.tsx'
import { ActionList, Counts } from './ledger.tsx'

interface Props {
  readonly remote: Remote
  readonly id: string
  readonly version: number
  readonly revision: number
}

export function CommitPane({ remote, id, version, revision }: Props) {
  const commit = useLoaded(() => remote.commit(id, version), [id, version, revision])
  const lines = useLoaded(() => remote.versions(id, version, 1), [id, version, revision])
  const line = lines.value?.[0]
  return (
    <section class="pane commit-pane" aria-label="log" aria-busy={commit.loading}>
      {commit.failure !== undefined && <FailureBox failure={commit.failure} />}
      {commit.value === undefined && commit.failure === undefined && <Working what="reading the commit" />}
      {line !== undefined && line.version === version && (
        <>
          <header class="pane-head">
            <h2>{line.operation}</h2>
            <Counts line={line} />
          </header>
          <dl class="facts wide">
            {[
              ['time', formatTime(line.timestampMs)],
              ['who', line.userName ?? ''],
              ['program', line.engine ?? ''],
              ...line.parameters,
              ['came to', line.detail],
              ['note', line.userMetadata ?? ''],
            ]
              .filter(([, value]) => value !== '')
              .map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
          </dl>
        </>
      )}
      {commit.value !== undefined && (
        <>
          <p>
            <code>{commit.value.file}</code>, {formatCount(commit.value.actions.length, 'action')}
          </p>
          <ActionList actions={commit.value.actions} />
        </>
      )}
    </section>
  )
}
