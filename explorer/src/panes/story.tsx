/** The history of a row: in which commit it appeared, changed and disappeared, and by which operation. */
import { formatCount, formatMoment } from '../format.ts'
import type { RowStory, StoryEvent } from '../messages.ts'
import type { Remote } from '../remote.ts'
import { useLoaded } from '../use-loaded.ts'
import { FailureBox, Working } from './failure.tsx'
import { WhereBox } from './where.tsx'

interface Props {
  readonly remote: Remote
  readonly id: string
  readonly revision: number
  readonly row: string
  readonly onRow: (row: string) => void
  readonly onVersion: (version: number) => void
}

export function StoryPane({ remote, id, revision, row, onRow, onVersion }: Props) {
  const story = useLoaded(() => (row === '' ? Promise.resolve(undefined) : remote.story(id, row)), [id, revision, row])
  return (
    <section class="pane story" aria-label="history of a row" aria-busy={story.loading}>
      <header class="pane-head">
        <h2>History of a row</h2>
        <span class="quiet">
          {story.value === undefined ? '' : `${formatCount(story.value.versionsRead, 'version')} had to be read`}
        </span>
      </header>
      <WhereBox where={row} onWhere={onRow} label="the row where" placeholder="order_id = '1046'" />
      {row === '' && (
        <p class="empty">
          Say which row: a predicate that finds it in any version. Every commit that touched it is told.
        </p>
      )}
      {story.failure !== undefined && <FailureBox failure={story.failure} />}
      {row !== '' && story.value === undefined && story.failure === undefined && <Working what="following the row" />}
      {row !== '' && story.value !== undefined && <Told story={story.value} onVersion={onVersion} />}
    </section>
  )
}

function Told({ story, onVersion }: { story: RowStory; onVersion: (version: number) => void }) {
  if (story.events.length === 0)
    return <p class="empty">No version that can be read holds a row where {story.where}.</p>
  return (
    <>
      <p class="verdict" role="status">
        {verdict(story)}
      </p>
      <ol class="events">
        {story.events.map((event, index) => (
          <li key={index} class={`event ${event.what}`}>
            <button type="button" class="event-version" onClick={() => onVersion(event.version)}>
              v{event.version}
            </button>
            <div>
              <p>
                <strong>{event.what}</strong> by <strong>{event.operation}</strong>
                <span class="quiet">
                  {' '}
                  {[event.userName ?? '', formatMoment(event.timestampMs)].filter((text) => text !== '').join(', ')}
                </span>
              </p>
              <Values event={event} story={story} />
            </div>
          </li>
        ))}
      </ol>
    </>
  )
}

function verdict({ events, alive }: RowStory): string {
  const last = events.filter(({ what }) => what !== 'moved').at(-1)
  if (last === undefined) return ''
  if (alive) return `The row is in the table; v${last.version} (${last.operation}) was the last to change it.`
  return `The row disappeared in v${last.version}, by ${last.operation}.`
}

function Values({ event: { what, before, after, changed }, story }: { event: StoryEvent; story: RowStory }) {
  if (what === 'moved') return <p class="quiet">the same row, written into another file</p>
  if (before !== null && after !== null) {
    return (
      <dl class="facts">
        {changed.map((column) => (
          <div key={column}>
            <dt>{story.columns[column]?.name}</dt>
            <dd>
              <del>{before[column] ?? 'null'}</del> → <ins>{after[column] ?? 'null'}</ins>
            </dd>
          </div>
        ))}
      </dl>
    )
  }
  const cells = before ?? after ?? []
  return (
    <p class={before === null ? 'cells-line' : 'cells-line was'}>{cells.map((cell) => cell ?? 'null').join(' · ')}</p>
  )
}
