/** The actions of the chosen version's commit, as its bytes hold them. */
import type { Reader } from '../messages.ts'
import { useLoaded } from '../use-loaded.ts'
import { FailureBox, Working } from './failure.tsx'

export function LogPane({ reader, version }: { reader: Reader; version: number }) {
  const commit = useLoaded(() => reader.commit(version), [version])
  return (
    <section aria-label="log" aria-busy={commit.loading}>
      {commit.failure !== undefined && <FailureBox failure={commit.failure} />}
      {commit.value === undefined && commit.failure === undefined && <Working what="reading the commit" />}
      {commit.value !== undefined && (
        <>
          <p>
            <code>{commit.value.file}</code>, {commit.value.actions.length} actions
          </p>
          <ul class="actions">
            {commit.value.actions.map(({ kind, summary, json }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line of a commit has no other name
              <li key={index}>
                <details>
                  <summary>
                    <span class={`action action-${kind}`}>{kind}</span> {summary}
                  </summary>
                  <pre>{json}</pre>
                </details>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
