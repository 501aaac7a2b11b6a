/** The versions of the table, newest first, found by what their commits say; a slider over them. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatMoment } from '../format.ts'
import type { OpenedTable, VersionLine } from '../messages.ts'
import type { Remote } from '../remote.ts'
import { useLoaded } from '../use-loaded.ts'
import { Counts } from './ledger.tsx'
import { VirtualList } from './virtual-list.tsx'

const LINE_HEIGHT = 92
const PAGE = 50
/** Lines are asked for when scrolling rests so long: what flies by is not read. */
const REST_MS = 90

interface Props {
  readonly remote: Remote
  readonly opened: OpenedTable
  readonly chosen: number
  readonly onChoose: (version: number) => void
}

export function VersionList({ remote, opened, chosen, onChoose }: Props) {
  const [search, setSearch] = useState('')
  const lines = useLines(remote, opened)
  const found = useLoaded(
    () => (search === '' ? Promise.resolve(undefined) : remote.search(opened.id, search)),
    [opened.id, search],
  )
  const { earliest, latest } = opened
  const listed = found.value
  const count = listed?.length ?? latest - earliest + 1
  const operation = lines.get(chosen)?.operation ?? 'commit'
  return (
    <nav class="versions" aria-label="versions">
      <label class="slider">
        <span>version {chosen}</span>
        <input
          type="range"
          min={earliest}
          max={latest}
          value={chosen}
          aria-valuetext={`version ${chosen} of ${latest}, ${operation}`}
          onChange={(event) => onChoose(Number(event.currentTarget.value))}
        />
      </label>
      <label class="history-search">
        <span class="visually-hidden">search the history</span>
        <input
          type="search"
          value={search}
          placeholder="search the history"
          onChange={(event) => setSearch(event.currentTarget.value.trim())}
        />
      </label>
      {listed !== undefined && (
        <p class="quiet" role="status">
          {listed.length === 0 ? 'no commit speaks of it' : `${listed.length} of ${latest - earliest + 1} commits`}
        </p>
      )}
      <VirtualList
        label="commits"
        count={count}
        lineHeight={LINE_HEIGHT}
        {...(listed === undefined ? { shown: latest - chosen } : {})}
        onView={(first, last) => listed === undefined && lines.need(latest - first, latest - last)}
        render={(index) => {
          const version = listed === undefined ? latest - index : listed[index]!.version
          const line = listed?.[index] ?? lines.get(version)
          return <VersionButton version={version} line={line} chosen={version === chosen} onChoose={onChoose} />
        }}
      />
    </nav>
  )
}

/** Lines by version, asked for when they come into view. */
function useLines(remote: Remote, opened: OpenedTable) {
  const [, redraw] = useState(0)
  const known = useRef(new Map<number, VersionLine>())
  const asked = useRef(new Set<number>())
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => {
    known.current = new Map(opened.versions.map((line) => [line.version, line]))
    asked.current = new Set()
    redraw((count) => count + 1)
  }, [opened])
  const load = (page: number) => {
    const top = Math.min(opened.latest, page * PAGE + PAGE - 1)
    const isKnown = known.current.has(top) && known.current.has(Math.max(opened.earliest, page * PAGE))
    if (isKnown || asked.current.has(page)) return
    asked.current.add(page)
    void remote.versions(opened.id, top, PAGE).then((lines) => {
      for (const line of lines) known.current.set(line.version, line)
      redraw((count) => count + 1)
    })
  }
  return {
    get: (version: number) => known.current.get(version) ?? opened.versions.find((line) => line.version === version),
    need: (from: number, to: number) => {
      clearTimeout(timer.current)
      timer.current = setTimeout(() => {
        for (let page = Math.floor(from / PAGE); page >= Math.floor(Math.max(0, to) / PAGE); page--) load(page)
      }, REST_MS)
    },
  }
}

interface ButtonProps {
  readonly version: number
  readonly line: VersionLine | undefined
  readonly chosen: boolean
  readonly onChoose: (version: number) => void
}

function VersionButton({ version, line, chosen, onChoose }: ButtonProps) {
  return (
    <button type="button" class="version-line" aria-current={chosen} onClick={() => onChoose(version)}>
      <span class="version-head">
        <span class="version-number">v{version}</span> <strong>{line?.operation ?? '…'}</strong>
        {line?.marks.includes('checkpoint') === true && <span class="tag">checkpoint</span>}
      </span>
      {line !== undefined && <Counts line={line} />}
      <span class="quiet line">
        {line === undefined
          ? ''
          : [line.userName ?? '', formatMoment(line.timestampMs)].filter((text) => text !== '').join(', ')}
      </span>
    </button>
  )
}
