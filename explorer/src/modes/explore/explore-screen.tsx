/** A real table, read and never written: which one, which version, which pane. */
import { useEffect, useState } from 'preact/hooks'
import { PANES, type Pane, type Place } from '../../location.ts'
import type { OpenedTable, ServedTable, TableSource } from '../../messages.ts'
import { AboutPane } from '../../panes/about.tsx'
import { CommitPane } from '../../panes/commit.tsx'
import { DifferencePane } from '../../panes/difference.tsx'
import { FailureBox, Working } from '../../panes/failure.tsx'
import { FilesPane } from '../../panes/files.tsx'
import { PaneTabs } from '../../panes/pane-tabs.tsx'
import { RowsPane } from '../../panes/rows.tsx'
import { StoragePane } from '../../panes/storage.tsx'
import { StoryPane } from '../../panes/story.tsx'
import { VersionList } from '../../panes/versions.tsx'
import type { Remote } from '../../remote.ts'
import { useLoaded } from '../../use-loaded.ts'
import { OpenScreen } from './open-screen.tsx'
import { SqlPane } from './sql-pane.tsx'

const PANE_TITLES: Readonly<Record<Pane, string>> = {
  rows: 'Rows',
  files: 'Files',
  folder: 'Folder',
  log: 'Log',
  changes: 'Changes',
  story: 'Row history',
  sql: 'SQL',
  about: 'About',
}

interface Props {
  readonly remote: Remote
  readonly tables: readonly ServedTable[]
  readonly waiting: boolean
  readonly place: Place
  readonly go: (change: Partial<Place>) => void
}

export function ExploreScreen({ remote, tables, waiting, place, go }: Props) {
  const [picked, setPicked] = useState<TableSource | null>(null)
  const served = tables[place.table] ?? tables[0]
  if (picked === null && place.url === '' && served === undefined) {
    if (waiting) return <Working what="asking for the tables" />
    return <OpenScreen onOpen={(source) => (source.kind === 'url' ? go({ url: source.url }) : setPicked(source))} />
  }
  const source: TableSource =
    picked ?? (place.url !== '' ? { kind: 'url', url: place.url } : { kind: 'served', id: served!.id })
  return (
    <TableScreen
      key={keyOf(source)}
      remote={remote}
      source={source}
      served={source.kind === 'served' ? served : undefined}
      tables={tables}
      place={place}
      go={go}
      onLeave={() => {
        setPicked(null)
        go({ url: '', version: null })
      }}
    />
  )
}

function keyOf(source: TableSource): string {
  if (source.kind === 'served') return `served ${source.id}`
  return source.kind === 'url' ? source.url : source.kind
}

interface ScreenProps extends Omit<Props, 'waiting'> {
  readonly source: TableSource
  readonly served: ServedTable | undefined
  readonly onLeave: () => void
}

function TableScreen(props: ScreenProps) {
  const { remote, source, served, tables, place, go, onLeave } = props
  const opened = useLoaded(() => remote.open(source), [])
  const name = served?.name ?? opened.value?.name ?? ''
  return (
    <>
      <div class="table-bar">
        {tables.length > 1 ? (
          <label class="table-choice">
            <span class="visually-hidden">table</span>
            <select
              value={served?.id}
              onChange={(event) =>
                go({
                  table: Number(event.currentTarget.value),
                  version: null,
                  against: null,
                  where: '',
                  file: '',
                  row: '',
                })
              }
            >
              {tables.map((table) => (
                <option key={table.id} value={table.id}>
                  {table.name}
                </option>
              ))}
            </select>
          </label>
        ) : (
          <h1 class="table-name">{name}</h1>
        )}
        <code class="location">{served?.location ?? opened.value?.location}</code>
        {served === undefined && (
          <button type="button" onClick={onLeave}>
            Another table
          </button>
        )}
      </div>
      {opened.failure !== undefined && <FailureBox failure={opened.failure} />}
      {opened.failure === undefined && opened.value === undefined && (
        <Working what={`reading the log${name === '' ? '' : ` of ${name}`}`} />
      )}
      {opened.value !== undefined && (
        <OpenTable
          remote={remote}
          opened={opened.value}
          name={name}
          served={served}
          tables={tables}
          place={place}
          go={go}
        />
      )}
    </>
  )
}

interface OpenProps {
  readonly tables: readonly ServedTable[]
  readonly remote: Remote
  readonly opened: OpenedTable
  readonly name: string
  readonly served: ServedTable | undefined
  readonly place: Place
  readonly go: (change: Partial<Place>) => void
}

function OpenTable({ remote, opened, name, served, tables, place, go }: OpenProps) {
  const version = place.version ?? opened.latest
  useEffect(() => {
    document.title = `${name} v${version} · bayou`
  }, [name, version])
  const line = opened.versions.find((candidate) => candidate.version === version)
  const choose = (next: number) => go({ version: next === opened.latest ? null : next })
  const panes = PANES.filter((pane) => pane !== 'sql' || served !== undefined)
  return (
    <div class="screen">
      <VersionList remote={remote} opened={opened} chosen={version} onChoose={choose} />
      <main>
        <p class="announce" aria-live="polite">
          version {version} of {opened.latest}
          {line === undefined ? '' : `, ${line.operation}`}
        </p>
        {opened.warnings.map((warning) => (
          <p key={warning} class="warning">
            {warning}
          </p>
        ))}
        <PaneTabs titles={PANE_TITLES} panes={panes} chosen={place.pane} onChoose={(pane) => go({ pane })} />
        <div id="pane" role="tabpanel" aria-labelledby={`tab-${place.pane}`}>
          <ChosenPane
            remote={remote}
            opened={opened}
            served={served}
            tables={tables}
            version={version}
            place={place}
            go={go}
            choose={choose}
          />
        </div>
      </main>
    </div>
  )
}

interface PaneProps extends Omit<OpenProps, 'name'> {
  readonly version: number
  readonly choose: (version: number) => void
}

function ChosenPane({ remote, opened, served, tables, version, place, go, choose }: PaneProps) {
  const { id } = opened
  const common = { remote, id, version, revision: 0 }
  switch (place.pane) {
    case 'rows':
      return (
        <RowsPane
          {...common}
          where={place.where}
          onWhere={(where) => go({ where })}
          onFollow={(row) => go({ row, pane: 'story' })}
          fates={false}
        />
      )
    case 'files':
      return (
        <FilesPane
          {...common}
          where={place.where}
          onWhere={(where) => go({ where })}
          file={place.file}
          onFile={(file) => go({ file })}
        />
      )
    case 'folder':
      return <StoragePane {...common} latest={opened.latest} />
    case 'log':
      return <CommitPane {...common} />
    case 'changes':
      return (
        <DifferencePane
          {...common}
          earliest={opened.earliest}
          latest={opened.latest}
          against={place.against ?? Math.max(opened.earliest, version - 1)}
          onAgainst={(against) => go({ against })}
        />
      )
    case 'story':
      return (
        <StoryPane
          remote={remote}
          id={id}
          revision={0}
          row={place.row}
          onRow={(row) => go({ row })}
          onVersion={(next) => {
            choose(next)
            go({ pane: 'log' })
          }}
        />
      )
    case 'sql':
      return served === undefined ? null : (
        <SqlPane served={served} tables={tables} sql={place.sql} onSql={(sql) => go({ sql })} />
      )
    case 'about':
      return <AboutPane {...common} />
  }
}
