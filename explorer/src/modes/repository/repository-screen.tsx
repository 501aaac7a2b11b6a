/** A frozen DuckLake repository: its versions, and what one of them holds. */
import { useEffect } from 'preact/hooks'
import type { RepositoryVersion, RepositoryView } from '../../../../src/cli/explore/repository-messages.ts'
import { formatMoment } from '../../format.ts'
import type { Pane, Place } from '../../location.ts'
import { FailureBox, Working } from '../../panes/failure.tsx'
import { PaneTabs } from '../../panes/pane-tabs.tsx'
import { askServed } from '../../served.ts'
import { useLoaded } from '../../use-loaded.ts'
import { VersionPanes } from './version-panes.tsx'

const TITLES: Readonly<Partial<Record<Pane, string>>> = { rows: 'Tables', files: 'Files', about: 'Catalogs' }
const PANES = ['rows', 'files', 'about'] as const

interface Props {
  readonly place: Place
  readonly go: (change: Partial<Place>) => void
}

export function RepositoryScreen(props: Props) {
  const loaded = useLoaded(() => askServed<RepositoryView>('api/repository'), [])
  if (loaded.failure !== undefined) return <FailureBox failure={loaded.failure} />
  if (loaded.value === undefined) return <Working what="reading the repository" />
  return <Repository view={loaded.value} {...props} />
}

function Repository({ view, place, go }: Props & { readonly view: RepositoryView }) {
  const { root, head, refs, versions, formats } = view
  const name = root.replace(/\/+$/, '').split('/').at(-1) ?? root
  const wanted = place.ref === '' ? head : place.ref
  const named = refs.find((ref) => ref.name === wanted && (place.ref !== '' || ref.kind === 'branch'))?.version
  const version = named ?? (place.ref === '' ? versions[0]?.id : place.ref)
  useEffect(() => {
    document.title = `${name} · bayou`
  }, [name])
  const pane = PANES.find((candidate) => candidate === place.pane) ?? 'rows'
  return (
    <>
      <div class="table-bar">
        <h1 class="table-name">{name}</h1>
        <code class="location">{root}</code>
        <span class="quiet">
          HEAD is {head}; new versions are published in {formatsText(formats)}
        </span>
      </div>
      {version === undefined ? (
        <p class="empty">
          No version yet. Publish one: <code>bayou repo publish {root} SOURCE</code>
        </p>
      ) : (
        <div class="screen">
          <Versions view={view} chosen={version} onChoose={(ref) => go({ ref, snapshot: null, name: '' })} />
          <main>
            <PaneTabs titles={TITLES} panes={PANES} chosen={pane} onChoose={(next) => go({ pane: next })} />
            <div id="pane" role="tabpanel" aria-labelledby={`tab-${pane}`}>
              <VersionPanes key={version} id={version} pane={pane} place={place} go={go} />
            </div>
          </main>
        </div>
      )}
    </>
  )
}

function formatsText(formats: RepositoryView['formats']): string {
  if (formats.length === 0) return 'their main catalog only'
  return formats.map(({ ducklake, until }) => `${ducklake}${until === null ? '' : ` until ${until}`}`).join(', ')
}

interface VersionsProps {
  readonly view: RepositoryView
  readonly chosen: string
  readonly onChoose: (id: string) => void
}

function Versions({ view: { versions, refs, more }, chosen, onChoose }: VersionsProps) {
  return (
    <nav class="versions" aria-label="versions of the repository">
      <ul class="repository-versions">
        {versions.map((version) => (
          <li key={version.id}>
            <button
              type="button"
              class="version-line"
              aria-current={version.id === chosen ? 'true' : undefined}
              onClick={() => onChoose(version.id)}
            >
              <VersionLine version={version} refs={refs.filter((ref) => ref.version === version.id)} />
            </button>
          </li>
        ))}
      </ul>
      {more && <p class="quiet">Older versions are not listed here: bayou repo log shows them.</p>}
    </nav>
  )
}

function VersionLine({ version, refs }: { version: RepositoryVersion; refs: RepositoryView['refs'] }) {
  const { message, author, createdAt, formats, withdrawn, id } = version
  const time = Date.parse(createdAt)
  return (
    <>
      <span class="version-head">
        <strong>{message === '' ? id.slice(0, 13) : message}</strong>
        {withdrawn !== null && <span class="tag">withdrawn</span>}
      </span>
      <span class="line">
        {refs.map(({ name, kind }) => (
          <span key={name} class={`tag ref ${kind}`}>
            {kind === 'tag' ? `tag ${name}` : name}
          </span>
        ))}
        {formats.map((format) => (
          <span key={format} class="tag">
            {format}
          </span>
        ))}
      </span>
      <span class="line quiet">
        {author === '' ? '' : `${author}, `}
        {formatMoment(Number.isNaN(time) ? null : time)}
      </span>
    </>
  )
}
