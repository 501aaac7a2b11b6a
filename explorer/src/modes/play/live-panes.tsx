/** Strip, folder, log and rows of a table, side by side; tabs where the screen is narrow. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { formatCount } from '../../format.ts'
import type { Place } from '../../location.ts'
import type { OpenedTable } from '../../messages.ts'
import { FailureBox, Working } from '../../panes/failure.tsx'
import { FilePanel } from '../../panes/file-panel.tsx'
import { FolderPane } from '../../panes/folder.tsx'
import { LedgerPane } from '../../panes/ledger.tsx'
import { RowsPane } from '../../panes/rows.tsx'
import { StoryPane } from '../../panes/story.tsx'
import { LogStrip } from '../../panes/strip.tsx'
import type { Remote } from '../../remote.ts'
import { useLoaded } from '../../use-loaded.ts'

const TABS = ['folder', 'log', 'rows', 'call'] as const
type Tab = (typeof TABS)[number]

interface Props {
  readonly remote: Remote
  readonly opened: OpenedTable
  readonly revision: number
  readonly place: Pick<Place, 'version' | 'where' | 'file' | 'row'>
  readonly go: (change: Partial<Place>) => void
  /** the calls */
  readonly aside?: ComponentChildren
  readonly skipped?: ReadonlyMap<string, string>
}

export function LivePanes({ remote, opened, revision, place, go, aside, skipped }: Props) {
  const [tab, setTab] = useState<Tab>('folder')
  const version = Math.min(place.version ?? opened.latest, opened.latest)
  const choose = (next: number) => go({ version: next === opened.latest ? null : next })
  // before the version is painted: a key that comes just behind another one counts from what is shown
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event, opened, version, choose)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [opened, version, go])
  const folder = useLoaded(() => remote.folder(opened.id, version), [opened.id, version, revision])
  const line = opened.versions.find((candidate) => candidate.version === version)
  const gone = opened.unreadable.find((candidate) => candidate.version === version)
  const tabs = TABS.filter((name) => name !== 'call' || aside !== undefined)
  return (
    <div class={`live-panes${aside === undefined ? '' : ' with-aside'}`} data-tab={tab}>
      <LogStrip opened={opened} chosen={version} onChoose={choose} />
      <p class="visually-hidden" aria-live="polite">
        version {version}
        {line === undefined
          ? ''
          : `: ${line.operation}, ${formatCount(line.filesRemoved, 'file')} removed, ${line.filesAdded} added`}
      </p>
      <div class="narrow-tabs" role="tablist" aria-label="panes">
        {tabs.map((name) => (
          <button key={name} type="button" role="tab" aria-selected={tab === name} onClick={() => setTab(name)}>
            {name}
          </button>
        ))}
      </div>
      <div class="live-grid">
        <div class="at-folder">
          {folder.failure !== undefined && <FailureBox failure={folder.failure} />}
          {folder.value === undefined && folder.failure === undefined && <Working what="looking into the folder" />}
          {folder.value !== undefined && (
            <FolderPane
              folder={folder.value}
              open={place.file}
              onOpen={(path) => go({ file: place.file === path ? '' : path })}
              {...(skipped === undefined ? {} : { skipped })}
            />
          )}
          {place.file !== '' && (
            <FilePanel
              remote={remote}
              id={opened.id}
              version={version}
              revision={revision}
              path={place.file}
              onClose={() => go({ file: '' })}
            />
          )}
        </div>
        <div class="at-log">
          <LedgerPane remote={remote} opened={opened} chosen={version} onChoose={choose} />
        </div>
        <div class="at-rows">
          {gone !== undefined && (
            <p class="warning">
              Version {version} cannot be read any more: vacuum deleted {gone.missing.join(', ')}. The log still
              describes it.
            </p>
          )}
          <Banner line={line} />
          <RowsPane
            remote={remote}
            id={opened.id}
            version={version}
            revision={revision}
            where={place.where}
            onWhere={(where) => go({ where })}
            onFollow={(row) => go({ row })}
            firstSort={{ column: 0, descending: false }}
            fates
            title={`Rows a reader gets at v${version}`}
          />
          {place.row !== '' && (
            <StoryPane
              remote={remote}
              id={opened.id}
              revision={revision}
              row={place.row}
              onRow={(row) => go({ row })}
              onVersion={choose}
            />
          )}
        </div>
      </div>
      {aside !== undefined && <div class="at-call">{aside}</div>}
    </div>
  )
}

function Banner({ line }: { line: OpenedTable['versions'][number] | undefined }) {
  if (line === undefined) return null
  const mode = line.parameters.find(([key]) => key === 'mode')?.[1]
  if (mode === 'Overwrite' && line.filesRemoved > 0) {
    return <p class="banner">Every file of before left the table. Version {line.version - 1} is still readable.</p>
  }
  if (!line.dataChange) return <p class="banner">No row changed: the same rows lie in other files.</p>
  const rewritten = /(\d+) rows? copied/.exec(line.detail)?.[1]
  const changed = /(\d+) rows? (updated|deleted)/.exec(line.detail)
  if (rewritten === undefined || changed === null) return null
  return (
    <p class="banner">
      Rows {changed[2]}: <strong>{changed[1]}</strong>. Rows that had to be written anew beside them:{' '}
      <strong>{rewritten}</strong>.
    </p>
  )
}

/** Arrow keys go through versions wherever nothing else wants them. */
function onKey(
  event: KeyboardEvent,
  { earliest, latest }: OpenedTable,
  version: number,
  choose: (version: number) => void,
) {
  const target = event.target as HTMLElement
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return
  if (target.closest('.scroll, .narrow-tabs, .virtual') !== null) return
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: version - 1,
    ArrowRight: version + 1,
    Home: earliest,
    End: latest,
  }
  const next = steps[event.key]
  if (next === undefined || next < earliest || next > latest) return
  event.preventDefault()
  choose(next)
}
