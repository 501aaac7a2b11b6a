/** One version of a repository: its tables at a snapshot, its files, its catalogs and who opens them. */
import type { VersionFiles, VersionView } from '../../../../src/cli/explore/repository-messages.ts'
import { formatBytes, formatCount } from '../../format.ts'
import type { Place } from '../../location.ts'
import { FailureBox, Working } from '../../panes/failure.tsx'
import { askServed } from '../../served.ts'
import { useLoaded } from '../../use-loaded.ts'
import { CatalogsPane } from './catalogs-pane.tsx'
import { LakePane } from './lake-pane.tsx'

interface Props {
  readonly id: string
  readonly pane: 'rows' | 'files' | 'about'
  readonly place: Place
  readonly go: (change: Partial<Place>) => void
}

export function VersionPanes({ id, pane, place, go }: Props) {
  const loaded = useLoaded(() => askServed<VersionView>(`api/repository/versions/${encodeURIComponent(id)}`), [id])
  if (loaded.failure !== undefined) return <FailureBox failure={loaded.failure} />
  if (loaded.value === undefined) return <Working what="reading version.json" />
  const { version, files } = loaded.value
  return (
    <>
      {version.withdrawn !== null && <p class="warning">This version was withdrawn: {version.withdrawn}</p>}
      <p class="announce" aria-live="polite">
        version <code>{version.id}</code>
        {version.parents.map((parent) => (
          <span key={parent}>
            , after{' '}
            <button type="button" class="plain" onClick={() => go({ ref: parent, snapshot: null, name: '' })}>
              {parent.slice(0, 13)}
            </button>
          </span>
        ))}
      </p>
      {pane === 'rows' && <LakePane id={id} place={place} go={go} />}
      {pane === 'files' && <FilesPane files={files} isFirst={version.parents.length === 0} />}
      {pane === 'about' && <CatalogsPane view={loaded.value} />}
    </>
  )
}

function FilesPane({ files, isFirst }: { files: VersionFiles | null; isFirst: boolean }) {
  if (files === null) return <p class="empty">This version does not list its files: another program published it.</p>
  const fresh = files.count - files.sharedCount
  return (
    <section class="pane" aria-label="files of the version">
      <ul class="tallies">
        <li>
          <strong>{formatCount(files.count, 'file')}</strong>, {formatBytes(files.bytes)}
        </li>
        <li>
          <strong>{formatCount(fresh, 'new file')}</strong>, {formatBytes(files.bytes - files.sharedBytes)}
        </li>
        <li>
          <strong>{files.sharedCount.toLocaleString('en')} shared</strong> with the version before,{' '}
          {formatBytes(files.sharedBytes)}
        </li>
      </ul>
      <p class="quiet">
        {isFirst
          ? 'It is the first version: all of its files are new.'
          : 'Versions share files: what the version before has already is stored once.'}
      </p>
      <section
        class="scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
        tabIndex={0}
        aria-label="table of files"
      >
        <table>
          <thead>
            <tr>
              <th scope="col">file</th>
              <th scope="col" class="number">
                size
              </th>
              <th scope="col">is</th>
              <th scope="col" class="number">
                versions that hold it
              </th>
            </tr>
          </thead>
          <tbody>
            {files.list.map(({ path, bytes, shared, versions }) => (
              <tr key={path} class={shared ? '' : 'row-new'}>
                <td>{path}</td>
                <td class="number">{formatBytes(bytes)}</td>
                <td>{shared ? 'shared' : 'new'}</td>
                <td class="number">{versions}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {files.count > files.list.length && (
        <p class="quiet">The first {files.list.length.toLocaleString('en')} are listed.</p>
      )}
    </section>
  )
}
