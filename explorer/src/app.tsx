/** The frame: which table, which version, which pane; all of it in the address. */
import { useEffect, useState } from 'preact/hooks'
import { PANES, type Pane, type Place, printPlace, readPlace } from './location.ts'
import type { OpenedTable, Reader, TableAddress } from './messages.ts'
import { AboutPane } from './panes/about.tsx'
import { FailureBox, Working } from './panes/failure.tsx'
import { FilesPane } from './panes/files.tsx'
import { LogPane } from './panes/log.tsx'
import { RowsPane } from './panes/rows.tsx'
import { VersionList } from './panes/versions.tsx'
import { ThemeSwitch } from './theme.tsx'
import { useLoaded } from './use-loaded.ts'

const PANE_TITLES: Readonly<Record<Pane, string>> = { rows: 'Rows', files: 'Files', log: 'Log', about: 'About' }

export function App({ reader }: { reader: Reader }) {
  const [place, setPlace] = useState<Place>(() => readPlace(location.search))
  const tables = useLoaded(fetchTables, [])
  useEffect(() => {
    const restore = () => setPlace(readPlace(location.search))
    addEventListener('popstate', restore)
    return () => removeEventListener('popstate', restore)
  }, [])
  const go = (change: Partial<Place>) => {
    const next = { ...place, ...change }
    history.pushState(null, '', printPlace(next))
    setPlace(next)
  }

  if (tables.failure !== undefined) return <FailureBox failure={tables.failure} />
  if (tables.value === undefined) return <Working what="asking for the tables" />
  const address = tables.value[place.table] ?? tables.value[0]
  if (address === undefined) return <p class="empty">The server offers no table.</p>
  return (
    <>
      <header class="top">
        <h1>bayou</h1>
        <TableChoice
          tables={tables.value}
          chosen={address.id}
          onChoose={(table) => go({ table, version: null, where: '' })}
        />
        <code class="location">{address.location}</code>
        <ThemeSwitch />
      </header>
      <TableScreen key={address.id} reader={reader} address={address} place={place} go={go} />
    </>
  )
}

async function fetchTables(): Promise<readonly TableAddress[]> {
  const answer = await fetch('api/tables')
  if (!answer.ok) throw new Error(`the server answered ${answer.status} for its list of tables`)
  return answer.json()
}

function TableChoice(props: { tables: readonly TableAddress[]; chosen: number; onChoose(id: number): void }) {
  if (props.tables.length === 1) return <strong class="table-name">{props.tables[0]?.name}</strong>
  return (
    <label class="table-choice">
      <span class="quiet">table</span>
      <select value={props.chosen} onChange={(event) => props.onChoose(Number(event.currentTarget.value))}>
        {props.tables.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

interface ScreenProps {
  readonly reader: Reader
  readonly address: TableAddress
  readonly place: Place
  readonly go: (change: Partial<Place>) => void
}

function TableScreen({ reader, address, place, go }: ScreenProps) {
  const opened = useLoaded(() => reader.open(address), [address.id])
  if (opened.failure !== undefined) return <FailureBox failure={opened.failure} />
  if (opened.value === undefined) return <Working what={`reading the log of ${address.name}`} />
  return <OpenTable reader={reader} address={address} opened={opened.value} place={place} go={go} />
}

function OpenTable({ reader, address: { name }, opened, place, go }: ScreenProps & { opened: OpenedTable }) {
  const version = place.version ?? opened.latest
  const line = opened.versions.find((candidate) => candidate.version === version)
  useEffect(() => {
    document.title = `${name} v${version} · bayou`
  }, [name, version])
  return (
    <div class="screen">
      <VersionList
        opened={opened}
        chosen={version}
        onChoose={(next) => go({ version: next === opened.latest ? null : next })}
      />
      <main>
        <p class="announce" aria-live="polite">
          version {version} of {opened.latest}
          {line === undefined ? '' : `, ${line.operation}`}
        </p>
        <PaneTabs chosen={place.pane} onChoose={(pane) => go({ pane })} />
        <div id="pane" role="tabpanel" aria-labelledby={`tab-${place.pane}`}>
          {place.pane === 'rows' && (
            <RowsPane reader={reader} version={version} where={place.where} onWhere={(where) => go({ where })} />
          )}
          {place.pane === 'files' && (
            <FilesPane reader={reader} version={version} where={place.where} onWhere={(where) => go({ where })} />
          )}
          {place.pane === 'log' && <LogPane reader={reader} version={version} />}
          {place.pane === 'about' && <AboutPane reader={reader} version={version} />}
        </div>
      </main>
    </div>
  )
}

function PaneTabs({ chosen, onChoose }: { chosen: Pane; onChoose(pane: Pane): void }) {
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const next = PANES[(PANES.indexOf(chosen) + step + PANES.length) % PANES.length]
    if (next === undefined) return
    onChoose(next)
    document.getElementById(`tab-${next}`)?.focus()
  }
  return (
    <div role="tablist" aria-label="what to look at" class="tabs" onKeyDown={move}>
      {PANES.map((pane) => (
        <button
          key={pane}
          id={`tab-${pane}`}
          type="button"
          role="tab"
          aria-selected={pane === chosen}
          aria-controls="pane"
          tabIndex={pane === chosen ? 0 : -1}
          onClick={() => onChoose(pane)}
        >
          {PANE_TITLES[pane]}
        </button>
      ))}
    </div>
  )
}
