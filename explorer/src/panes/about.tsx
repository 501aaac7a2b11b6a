/** Schema, protocol, features and properties at the chosen version. */
import { formatBytes, formatCount } from '../format.ts'
import type { ColumnLine, Reader, TableState } from '../messages.ts'
import { useLoaded } from '../use-loaded.ts'
import { FailureBox, Working } from './failure.tsx'

export function AboutPane({ reader, version }: { reader: Reader; version: number }) {
  const state = useLoaded(() => reader.state(version), [version])
  if (state.failure !== undefined) return <FailureBox failure={state.failure} />
  if (state.value === undefined) return <Working what="reading the table's state" />
  return <StateView state={state.value} />
}

function StateView({ state }: { state: TableState }) {
  return (
    <section aria-label="about this version" aria-busy="false">
      <p>
        {formatCount(state.numFiles, 'live file')}, {formatBytes(state.sizeInBytes)}; {state.protocol}
        {state.features.length > 0 && `; features: ${state.features.join(', ')}`}
      </p>
      {state.warnings.map((warning) => (
        <p key={warning} class="warning">
          {warning}
        </p>
      ))}
      <h2>Columns</h2>
      <ColumnTable columns={state.columns} />
      <h2>Properties</h2>
      {state.properties.length === 0 ? (
        <p class="quiet">none</p>
      ) : (
        <dl class="properties">
          {state.properties.map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

function ColumnTable({ columns }: { columns: readonly ColumnLine[] }) {
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
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, type, nullable, partition }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{type}</td>
              <td>{nullable ? 'yes' : 'no'}</td>
              <td>{partition ? 'yes' : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
