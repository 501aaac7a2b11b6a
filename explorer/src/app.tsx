/** The frame: guide, playground or explorer; where it is, all of it in the address. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Mode, type Place, printPlace, readPlace, START } from './location.ts'
import type { ServedTable } from './messages.ts'
import { ExploreScreen } from './modes/explore/explore-screen.tsx'
import { GuideScreen } from './modes/guide/guide-screen.tsx'
import { HomeScreen } from './modes/home-screen.tsx'
import { PlayScreen } from './modes/play/play-screen.tsx'
import { RepositoryScreen } from './modes/repository/repository-screen.tsx'
import { WorkerScreen } from './modes/worker/worker-screen.tsx'
import { KeysHelp } from './panes/keys-help.tsx'
import type { Remote } from './remote.ts'
import { askServed, servedThings } from './served.ts'
import { ThemeSwitch } from './theme.tsx'
import { useLoaded } from './use-loaded.ts'

const MODE_TITLES: readonly (readonly [Mode, string])[] = [
  ['guide', 'Guide'],
  ['play', 'Playground'],
  ['explore', 'Explore'],
  ['worker', 'Worker'],
]
const SHOWN = servedThings()

export function App({ remote }: { remote: Remote }) {
  const [place, setPlace] = useState<Place>(() => readPlace(location.search))
  const served = useLoaded(fetchTables, [])
  // several changes of one event go on from each other
  const current = useRef(place)
  const show = (next: Place) => {
    current.current = next
    setPlace(next)
  }
  useEffect(() => {
    const restore = () => show(readPlace(location.search))
    addEventListener('popstate', restore)
    return () => removeEventListener('popstate', restore)
  }, [])
  const go = (change: Partial<Place>) => {
    const next = { ...current.current, ...change }
    const address = printPlace(next)
    if (address !== printPlace(current.current)) history.pushState(null, '', address)
    show(next)
  }
  const tables = served.value ?? []
  const mode = place.mode ?? firstMode(place)
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="?" onClick={(event) => follow(event, () => go({ ...START }))}>
          <Mark /> bayou
        </a>
        <nav class="modes" aria-label="what to do">
          {MODE_TITLES.filter(([name]) => name !== 'worker' || SHOWN.includes('worker')).map(([name, title]) => (
            <a
              key={name}
              href={`?mode=${name}`}
              aria-current={mode === name ? 'page' : undefined}
              onClick={(event) => follow(event, () => go({ ...START, mode: name }))}
            >
              {title}
            </a>
          ))}
        </nav>
        <KeysHelp />
        <ThemeSwitch />
      </header>
      <div id="main" tabIndex={-1}>
        {mode === 'guide' && <GuideScreen remote={remote} place={place} go={go} />}
        {mode === 'play' && <PlayScreen remote={remote} place={place} go={go} />}
        {mode === 'worker' && <WorkerScreen />}
        {mode === 'explore' && SHOWN.includes('repository') && <RepositoryScreen place={place} go={go} />}
        {mode === 'explore' && !SHOWN.includes('repository') && (
          <ExploreScreen remote={remote} tables={tables} waiting={served.loading} place={place} go={go} />
        )}
        {mode === null && !served.loading && <HomeScreen go={go} />}
      </div>
    </>
  )
}

/** A plain click stays on the page; one that opens a tab is left to the browser. */
function follow(event: MouseEvent, onFollow: () => void): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
  event.preventDefault()
  onFollow()
}

/** What the process that serves the page was asked to show comes first. */
function firstMode({ url }: Place): Mode | null {
  if (SHOWN.includes('tables') || SHOWN.includes('repository') || url !== '') return 'explore'
  return SHOWN.includes('worker') ? 'worker' : null
}

/** The tables of the serving process; none where it shows something else. */
async function fetchTables(): Promise<readonly ServedTable[]> {
  return SHOWN.includes('tables') ? await askServed<readonly ServedTable[]>('api/tables') : []
}

function Mark() {
  return (
    <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
      <path d="M3 5h16M3 11h16M3 17h16" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" opacity=".35" />
      <path
        d="M4 3c3 4 11 4 11 8s-8 4-11 8"
        stroke="currentColor"
        stroke-width="2.4"
        fill="none"
        stroke-linecap="round"
      />
    </svg>
  )
}
