/** Where a page without a table begins: three doors. */
import type { Place } from '../location.ts'

interface Door {
  readonly title: string
  readonly says: string
  readonly action: string
  readonly to: Partial<Place>
}

const DOORS: readonly Door[] = [
  {
    title: 'Guide',
    says: 'How a folder of files behaves like a table: fifteen chapters, each with a figure that runs the real thing.',
    action: 'Start the guide',
    to: { mode: 'guide' },
  },
  {
    title: 'Playground',
    says: 'A table in this page that you can append to, update, merge into, restore and vacuum. Nothing is scripted.',
    action: 'Open the playground',
    to: { mode: 'play' },
  },
  {
    title: 'Explore',
    says: 'Open a Delta table from a folder or an address and see its commits, files, statistics and rows together.',
    action: 'Open a table',
    to: { mode: 'explore' },
  },
]

export function HomeScreen({ go }: { go: (change: Partial<Place>) => void }) {
  return (
    <main class="home">
      <h1>See a table. Operate it.</h1>
      <p class="lead">
        A Delta table is a folder of files and a log that says which of them count. This page reads the log itself, here
        in your browser: nothing is sent anywhere.
      </p>
      <div class="doors">
        {DOORS.map(({ title, says, action, to }) => (
          <section key={title} class="door">
            <h2>{title}</h2>
            <p>{says}</p>
            <button type="button" class="primary" onClick={() => go(to)}>
              {action}
            </button>
          </section>
        ))}
      </div>
    </main>
  )
}
