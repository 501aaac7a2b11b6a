/** What the table is at the chosen version: columns, protocol and features, properties, and the log it is read from. */
import { formatBytes, formatCount, formatTime } from '../format.ts'
import type { FeatureLine, TableState } from '../messages.ts'
import type { Remote } from '../remote.ts'
import { useLoaded } from '../use-loaded.ts'
import { FailureBox, Working } from './failure.tsx'

interface Props {
  readonly remote: Remote
  readonly id: string
  readonly version: number
  readonly revision: number
  /** protocol and features alone */
  readonly brief?: boolean
}

export function AboutPane({ remote, id, version, revision, brief = false }: Props) {
  const state = useLoaded(() => remote.state(id, version), [id, version, revision])
  if (state.failure !== undefined) return <FailureBox failure={state.failure} />
  if (state.value === undefined) return <Working what="reading the table's state" />
  return brief ? <Brief state={state.value} /> : <StateView state={state.value} busy={state.loading} />
}

function Brief({ state }: { state: TableState }) {
  return (
    <section class="pane" aria-label={`protocol of version ${state.version}`}>
      <p>
        reader version <strong>{state.minReaderVersion}</strong>, writer version{' '}
        <strong>{state.minWriterVersion}</strong>
      </p>
      <Features features={state.features} />
      <p class="quiet">{whoOpens(state)}</p>
    </section>
  )
}

/** What a program must know to open the table, in words. */
function whoOpens({ minReaderVersion, features }: TableState): string {
  const reading = features.filter(({ kind }) => kind === 'reader and writer').map(({ name }) => name)
  if (minReaderVersion < 3 && reading.length === 0) {
    return 'Every reader of Delta opens it: no feature concerns reading.'
  }
  return `Readers must know ${reading.length === 0 ? `reader version ${minReaderVersion}` : reading.join(', ')}; older ones refuse the table, by name.`
}

function StateView({ state, busy }: { state: TableState; busy: boolean }) {
  return (
    <section class="pane about" aria-label="about this version" aria-busy={busy}>
      <ul class="tallies">
        <li>
          <strong>{state.numFiles.toLocaleString('en')}</strong> live {state.numFiles === 1 ? 'file' : 'files'}
        </li>
        <li>
          <strong>{formatBytes(state.sizeInBytes)}</strong> of data
        </li>
        <li>
          <strong>{formatBytes(state.numFiles === 0 ? 0 : state.sizeInBytes / state.numFiles)}</strong> a file on
          average
        </li>
        <li>
          <strong>{state.commitsSince}</strong> {state.commitsSince === 1 ? 'commit' : 'commits'}{' '}
          {state.checkpointVersion === null
            ? 'read, no checkpoint'
            : `since the checkpoint of v${state.checkpointVersion}`}
        </li>
      </ul>
      {state.warnings.map((warning) => (
        <p key={warning} class="warning">
          {warning}
        </p>
      ))}
      <h2>Columns</h2>
      <Columns state={state} />
      {state.constraints.length > 0 && (
        <>
          <h2>Constraints</h2>
          <Pairs pairs={state.constraints} />
        </>
      )}
      <h2>Protocol</h2>
      <p>
        reader version {state.minReaderVersion}, writer version {state.minWriterVersion}
      </p>
      <Features features={state.features} />
      <h2>Properties</h2>
      {state.properties.length === 0 ? <p class="quiet">none</p> : <Pairs pairs={state.properties} />}
      <h2>Log</h2>
      <ul class="log-files">
        {state.log.map(({ name, kind, size, modifiedMs, used }) => (
          <li key={name} class={used ? 'used' : ''}>
            <code>{name}</code> <span class="quiet">{kind}</span> <span class="quiet">{formatBytes(size)}</span>{' '}
            <span class="quiet">{formatTime(modifiedMs)}</span>
            {used && <span class="tag">read for this version</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Columns({ state }: { state: TableState }) {
  const mapped = state.columns.some(({ physicalName }) => physicalName !== null)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label="table of columns">
      <table>
        <thead>
          <tr>
            <th scope="col">column</th>
            <th scope="col">type</th>
            <th scope="col">nullable</th>
            <th scope="col">partition</th>
            {mapped && <th scope="col">name in the files</th>}
            <th scope="col">rule</th>
            <th scope="col">comment</th>
          </tr>
        </thead>
        <tbody>
          {state.columns.map(({ name, type, nullable, partition, physicalName, rule, comment }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{type}</td>
              <td>{nullable ? 'yes' : 'no'}</td>
              <td>{partition ? 'yes' : ''}</td>
              {mapped && <td>{physicalName ?? name}</td>}
              <td>{rule ?? ''}</td>
              <td>{comment ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Features({ features }: { features: readonly FeatureLine[] }) {
  if (features.length === 0) return <p class="quiet">no table feature</p>
  const word = (yes: boolean) => (yes ? 'yes' : 'no')
  return (
    <section
      class="scroll short"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
      tabIndex={0}
      aria-label="features"
    >
      <table>
        <thead>
          <tr>
            <th scope="col">feature</th>
            <th scope="col">concerns</th>
            <th scope="col">in use</th>
            <th scope="col">read here</th>
            <th scope="col">written here</th>
          </tr>
        </thead>
        <tbody>
          {features.map(({ name, kind, active, readHere, writeHere }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{kind}</td>
              <td>{active === null ? 'unknown' : word(active)}</td>
              <td>{word(readHere)}</td>
              <td>{word(writeHere)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Pairs({ pairs }: { pairs: readonly (readonly [string, string])[] }) {
  return (
    <dl class="facts wide">
      {pairs.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** `3 files, 1.2 MB`. */
export function sizeText(files: number, bytes: number): string {
  return `${formatCount(files, 'file')}, ${formatBytes(bytes)}`
}
