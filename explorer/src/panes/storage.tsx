/** What lies in the folder of the table: read, kept for older versions, removable, orphaned; by folder and file. */
import { useState } from 'preact/hooks'
import { formatBytes, formatCount, formatMoment } from '../format.ts'
import {
  STORED_STATES,
  type StorageView,
  type StoredFile,
  type StoredFolder,
  type StoredState,
  type StoredSum,
} from '../messages/storage.ts'
import type { Remote } from '../remote.ts'
import { useLoaded } from '../use-loaded.ts'
import { FailureBox, Working } from './failure.tsx'

const PAGE = 100
const HOUR_MS = 3_600_000

const STATES: Readonly<Record<StoredState, { title: string; sign: string; what: (view: Told) => string }>> = {
  live: { title: 'live', sign: '●', what: ({ version }) => `version ${version} reads it` },
  kept: {
    title: 'kept',
    sign: '◌',
    what: ({ keptFor }) => `other versions read it; VACUUM leaves it for ${keptFor} after its removal`,
  },
  removable: {
    title: 'removable',
    sign: '○',
    what: ({ keptFor }) =>
      `removed more than ${keptFor} ago: VACUUM deletes it, and the versions that read it go with it`,
  },
  orphaned: {
    title: 'orphaned',
    sign: '◐',
    what: ({ keptFor }) =>
      `no commit names it: a write that failed or is under way; VACUUM deletes it after ${keptFor}`,
  },
  hidden: { title: 'hidden', sign: '·', what: () => 'its name begins with _ or . and VACUUM never looks at it' },
}

interface Told {
  readonly version: number
  readonly keptFor: string
}

interface Props {
  readonly remote: Remote
  readonly id: string
  readonly version: number
  readonly revision: number
  readonly latest: number
}

export function StoragePane({ remote, id, version, revision, latest }: Props) {
  const [folder, setFolder] = useState('')
  const [state, setState] = useState<StoredState | null>(null)
  const [offset, setOffset] = useState(0)
  const query = { folder, state, offset, limit: PAGE }
  const view = useLoaded(() => remote.storage(id, version, query), [id, version, revision, folder, state, offset])
  const choose = (nextFolder: string, nextState: StoredState | null) => {
    setFolder(nextFolder)
    setState(nextState)
    setOffset(0)
  }
  const { value } = view
  if (view.failure !== undefined) return <FailureBox failure={view.failure} />
  if (value === undefined) return <Working what="listing the folder" />
  const told = { version: value.version, keptFor: durationText(value.retentionMs) }
  return (
    <section class="pane storage" aria-label="folder" aria-busy={view.loading}>
      {value.notes.map((note) => (
        <p key={note} class="warning">
          {note}
        </p>
      ))}
      <Missing view={value} latest={latest} />
      {value.folders[0] !== undefined && (
        <States sums={value.folders[0].sums} told={told} chosen={state} onChoose={(next) => choose(folder, next)} />
      )}
      {value.folders.length > 1 && (
        <Folders folders={value.folders} chosen={folder} onChoose={(next) => choose(next, state)} />
      )}
      {value.folders.length > 0 && <Files view={value} query={query} onOffset={setOffset} />}
    </section>
  )
}

function Missing({ view: { missing, numMissing, version }, latest }: { view: StorageView; latest: number }) {
  if (numMissing === 0) return null
  const what = version === latest ? 'The table cannot be read whole' : 'This version cannot be read whole any more'
  return (
    <div class="failure" role="alert">
      <code>{formatCount(numMissing, 'missing file')}</code>
      <p>
        {what}: version {version} names files that are not in the folder.
      </p>
      <ul class="file-names">
        {missing.slice(0, 10).map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
      <p class="remedy">
        {version === latest
          ? 'Bring them back from a copy, or let bayou fsck take them out of the log.'
          : 'Choose a newer version.'}
      </p>
    </div>
  )
}

interface StatesProps {
  readonly sums: Readonly<Record<StoredState, StoredSum>>
  readonly told: Told
  readonly chosen: StoredState | null
  readonly onChoose: (state: StoredState | null) => void
}

/** A bar of all bytes by state, and what each state means; pressing one shows its files alone. */
function States({ sums, told, chosen, onChoose }: StatesProps) {
  const shown = STORED_STATES.filter((state) => sums[state].files > 0 || state === 'live')
  const bytes = shown.reduce((sum, state) => sum + sums[state].bytes, 0)
  return (
    <>
      <div class="state-bar" aria-hidden="true">
        {shown.map((state) => (
          <span key={state} class={`part ${state}`} style={{ flexGrow: bytes === 0 ? 1 : sums[state].bytes / bytes }} />
        ))}
      </div>
      <ul class="state-list">
        {shown.map((state) => (
          <li key={state}>
            <button
              type="button"
              class={`state ${state}`}
              aria-pressed={chosen === state}
              onClick={() => onChoose(chosen === state ? null : state)}
            >
              <span class="state-head">
                <span class={`part ${state}`} aria-hidden="true">
                  {STATES[state].sign}
                </span>
                <strong>{STATES[state].title}</strong>
                <span>{sumText(sums[state])}</span>
              </span>
              <span class="quiet">{STATES[state].what(told)}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

interface FoldersProps {
  readonly folders: readonly StoredFolder[]
  readonly chosen: string
  readonly onChoose: (folder: string) => void
}

function Folders({ folders, chosen, onChoose }: FoldersProps) {
  const used = STORED_STATES.filter((state) => folders[0]!.sums[state].files > 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section class="scroll short" tabIndex={0} aria-label="folders">
      <table>
        <thead>
          <tr>
            <th scope="col">folder</th>
            {used.map((state) => (
              <th key={state} scope="col" class="number">
                {STATES[state].title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {folders.map(({ path, sums }) => (
            <tr key={path} class={path === chosen ? 'chosen' : ''}>
              <th scope="row" style={{ paddingLeft: `${0.6 + depthOf(path) * 1.2}rem` }}>
                <button type="button" class="plain" aria-pressed={path === chosen} onClick={() => onChoose(path)}>
                  {path === '' ? 'the table' : `${path.slice(path.lastIndexOf('/') + 1)}/`}
                </button>
              </th>
              {used.map((state) => (
                <td key={state} class="number">
                  {sums[state].files === 0 ? '' : sumText(sums[state])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface FilesProps {
  readonly view: StorageView
  readonly query: { readonly folder: string; readonly state: StoredState | null; readonly offset: number }
  readonly onOffset: (offset: number) => void
}

function Files({ view: { files, total }, query: { folder, state, offset }, onOffset }: FilesProps) {
  const which = state === null ? '' : `${STATES[state].title} `
  const where = folder === '' ? '' : ` below ${folder}`
  return (
    <>
      <p class="totals" role="status">
        {formatCount(total, `${which}file`)}
        {where}
      </p>
      {files.length > 0 && <FileTable files={files} />}
      {total > PAGE && (
        <p class="pager">
          <button type="button" disabled={offset === 0} onClick={() => onOffset(Math.max(0, offset - PAGE))}>
            Previous
          </button>
          <span>
            {(offset + 1).toLocaleString('en')} to {(offset + files.length).toLocaleString('en')}
          </span>
          <button type="button" disabled={offset + PAGE >= total} onClick={() => onOffset(offset + PAGE)}>
            Next
          </button>
        </p>
      )}
    </>
  )
}

function FileTable({ files }: { files: readonly StoredFile[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label="files of the folder">
      <table>
        <thead>
          <tr>
            <th scope="col">state</th>
            <th scope="col">file</th>
            <th scope="col" class="number">
              size
            </th>
            <th scope="col">written, UTC</th>
          </tr>
        </thead>
        <tbody>
          {files.map(({ path, size, modifiedMs, state }) => (
            <tr key={path}>
              <td class="stored-state">
                <span class={`part ${state}`} aria-hidden="true">
                  {STATES[state].sign}
                </span>{' '}
                {STATES[state].title}
              </td>
              <td>{path}</td>
              <td class="number">{formatBytes(size)}</td>
              <td>{formatMoment(modifiedMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function sumText({ files, bytes }: StoredSum): string {
  return `${formatCount(files, 'file')}, ${formatBytes(bytes)}`
}

function depthOf(path: string): number {
  return path === '' ? 0 : path.split('/').length
}

/** `7 days`, `36 hours`. */
function durationText(ms: number): string {
  const hours = ms / HOUR_MS
  return hours % 24 === 0 && hours > 0 ? formatCount(hours / 24, 'day') : formatCount(Math.round(hours), 'hour')
}
