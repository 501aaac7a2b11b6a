/** The folder: one rectangle a data file, drawn by what it is to the chosen version. */
import type { ComponentChildren } from 'preact'
import { briefName, formatBytes, formatCount } from '../format.ts'
import type { FileState, FolderFile, FolderView, RowFate } from '../messages.ts'

const SIGNS: Readonly<Record<FileState, string>> = {
  live: '●',
  older: '◌',
  later: '·',
  uncommitted: '◐',
  vacuumable: '○',
  vacuumed: '×',
}

const FATES: Readonly<Record<RowFate, string>> = { same: '', new: '+', gone: '×', changed: '~' }
const MAX_CELLS = 64

interface Props {
  readonly folder: FolderView
  readonly open: string
  readonly onOpen: (path: string) => void
  /** outcome of the last predicate by path */
  readonly skipped?: ReadonlyMap<string, string>
  readonly children?: ComponentChildren
  /** a folder without a log: a file is a file */
  readonly plain?: boolean
}

export function FolderPane({ folder, open, onOpen, skipped, children, plain = false }: Props) {
  const drawers = drawersOf(folder.files)
  return (
    <section class="pane folder" aria-label="folder">
      <header class="pane-head">
        <h2>Folder</h2>
        <span class="quiet">{plain ? formatCount(folder.files.length, 'file') : summaryOf(folder)}</span>
      </header>
      <div class={drawers.length > 1 ? 'drawers' : ''}>
        {drawers.map(({ directory, files }) => (
          <section key={directory} class="drawer" aria-label={directory === '' ? 'root of the table' : directory}>
            {directory !== '' && <h3>{directory}/</h3>}
            <ul class="blocks">
              {files.map((file) => (
                <li key={file.path}>
                  <FileBlock
                    plain={plain}
                    file={file}
                    open={file.path === open}
                    onOpen={onOpen}
                    skipped={skipped?.get(file.path)}
                  />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      {children}
      {!plain && <LogDrawer folder={folder} />}
      {!plain && <Legend states={new Set(folder.files.map(({ state }) => state))} />}
    </section>
  )
}

function summaryOf({ files, others }: FolderView): string {
  const live = files.filter(({ state }) => state === 'live').length
  const rest = files.length - live
  const texts = [`${live} live`, ...(rest > 0 ? [`${rest} not in this version`] : [])]
  return others.length === 0 ? texts.join(', ') : `${texts.join(', ')}, ${formatCount(others.length, 'other object')}`
}

function drawersOf(files: readonly FolderFile[]) {
  const drawers = new Map<string, FolderFile[]>()
  for (const file of files) drawers.set(file.directory, [...(drawers.get(file.directory) ?? []), file])
  return [...drawers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([directory, list]) => ({ directory, files: list }))
}

interface BlockProps {
  readonly file: FolderFile
  readonly open: boolean
  readonly onOpen: (path: string) => void
  readonly skipped: string | undefined
  readonly plain: boolean
}

function FileBlock({ file, open, onOpen, skipped, plain }: BlockProps) {
  const pale = skipped !== undefined && file.state === 'live'
  return (
    <button
      type="button"
      class={`block ${plain ? 'live' : file.state}${pale ? ' skipped' : ''}${file.touched === null || plain ? '' : ` touched-${file.touched}`}`}
      aria-expanded={open}
      onClick={() => onOpen(file.path)}
    >
      <span class="block-rows">{file.rows === null ? '?' : file.rows}</span>
      <span class="block-unit">{file.rows === 1 ? 'row' : 'rows'}</span>
      <span class="block-name">{briefName(file.name)}</span>
      {!plain && (
        <span class="block-state">
          <span aria-hidden="true">{SIGNS[file.state]}</span> {pale ? `skipped: ${skipped}` : file.label}
        </span>
      )}
      {file.deletedRows > 0 && <span class="block-deleted">{formatCount(file.deletedRows, 'row')} marked deleted</span>}
      {file.touched !== null && !plain && <Touched file={file} />}
    </button>
  )
}

function Touched({ file: { touched, cells } }: { file: FolderFile }) {
  const words = { added: 'added here', removed: 'removed here', marked: 'rows marked here' }
  return (
    <span class="block-touched">
      <span class="touched-word">{words[touched!]}</span>
      {cells !== null && (
        <span class="cells" aria-hidden="true">
          {cells.slice(0, MAX_CELLS).map((fate, i) => (
            <span key={i} class={`cell ${fate}`}>
              {FATES[fate]}
            </span>
          ))}
        </span>
      )}
      {cells !== null && <span class="visually-hidden">{fatesText(cells)}</span>}
    </span>
  )
}

function fatesText(cells: readonly RowFate[]): string {
  const words: Readonly<Record<RowFate, string>> = { same: 'unchanged', new: 'new', gone: 'gone', changed: 'changed' }
  return (['changed', 'new', 'gone', 'same'] as const)
    .map((fate) => [fate, cells.filter((cell) => cell === fate).length] as const)
    .filter(([, count]) => count > 0)
    .map(([fate, count]) => `${formatCount(count, 'row')} ${words[fate]}`)
    .join(', ')
}

function LogDrawer({ folder }: { folder: FolderView }) {
  const { log, others } = folder
  return (
    <details class="drawer log-drawer">
      <summary>
        <h3>_delta_log/</h3>
        <span class="quiet">{formatCount(log.length, 'file')}</span>
      </summary>
      <ul class="log-files">
        {log.map(({ name, size, kind, used }) => (
          <li key={name} class={used ? 'used' : ''}>
            <code>{name}</code> <span class="quiet">{kind}</span> <span class="quiet">{formatBytes(size)}</span>
            {used && <span class="tag">read for this version</span>}
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <ul class="log-files">
          {others.map(({ path, size, what }) => (
            <li key={path}>
              <code>{path}</code> <span class="quiet">{what}</span> <span class="quiet">{formatBytes(size)}</span>
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}

const LEGEND: Readonly<Record<FileState, string>> = {
  live: 'part of this version',
  older: 'left the table earlier, older versions read it',
  later: 'a later version adds it',
  uncommitted: 'in the folder, named by no commit',
  vacuumable: 'older than the retention',
  vacuumed: 'deleted',
}

function Legend({ states }: { states: ReadonlySet<FileState> }) {
  const shown = (Object.keys(LEGEND) as FileState[]).filter((state) => states.has(state))
  return (
    <dl class="legend">
      {shown.map((state) => (
        <div key={state}>
          <dt class={`swatch ${state}`} aria-hidden="true">
            {SIGNS[state]}
          </dt>
          <dd>{LEGEND[state]}</dd>
        </div>
      ))}
    </dl>
  )
}
