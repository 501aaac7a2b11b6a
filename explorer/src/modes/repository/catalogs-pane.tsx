/** The catalogs of a version, and which DuckDB opens which, told by version.json alone. */
import { useState } from 'preact/hooks'
import type {
  RepositoryCatalog,
  RepositoryReader,
  VersionView,
} from '../../../../src/cli/explore/repository-messages.ts'
import { formatBytes } from '../../format.ts'

export function CatalogsPane({ view: { readers, main, catalogs, skipped } }: { view: VersionView }) {
  return (
    <section class="pane about" aria-label="catalogs of the version">
      <h2>Which DuckDB opens it</h2>
      <ul class="readers">
        {readers.map((reader) => (
          <li key={reader.name} class={reader.ducklake === null ? 'none' : ''}>
            <ReaderLine reader={reader} />
          </li>
        ))}
      </ul>
      <h2>Catalogs</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section class="scroll short" tabIndex={0} aria-label="table of catalogs">
        <table>
          <thead>
            <tr>
              <th scope="col">DuckLake</th>
              <th scope="col">DuckDB storage from</th>
              <th scope="col">file</th>
              <th scope="col" class="number">
                size
              </th>
            </tr>
          </thead>
          <tbody>
            {[main, ...catalogs].map((catalog) => (
              <CatalogLine key={catalog.path} catalog={catalog} isMain={catalog === main} />
            ))}
          </tbody>
        </table>
      </section>
      {skipped.map(({ ducklake, reason }) => (
        <p key={ducklake} class="warning">
          Not written as DuckLake {ducklake}: {reason}
        </p>
      ))}
    </section>
  )
}

function CatalogLine({ catalog, isMain }: { catalog: RepositoryCatalog; isMain: boolean }) {
  return (
    <tr>
      <td>{catalog.ducklake}</td>
      <td>{catalog.storage === '' ? 'not told' : catalog.storage}</td>
      <td>
        {catalog.path} {isMain && <span class="tag">main</span>}
      </td>
      <td class="number">{catalog.bytes === null ? '' : formatBytes(catalog.bytes)}</td>
    </tr>
  )
}

function ReaderLine({ reader: { name, ducklake, sql, backfill } }: { reader: RepositoryReader }) {
  const [told, setTold] = useState('')
  if (sql === null) {
    return (
      <>
        <strong>{name}</strong>{' '}
        <span class="quiet">
          opens none of its catalogs;{' '}
          {backfill === null
            ? 'no format that is written here is old enough for it'
            : `bayou repo backfill --format ${backfill} writes one`}
        </span>
      </>
    )
  }
  const copy = async () => {
    const copied = await navigator.clipboard.writeText(sql).then(
      () => true,
      () => false,
    )
    setTold(copied ? 'copied' : 'this browser does not let the page copy: select the text')
  }
  return (
    <>
      <p class="run-line">
        <strong>{name}</strong> <span>opens DuckLake {ducklake}</span>
        <button type="button" onClick={() => void copy()}>
          Copy<span class="visually-hidden"> the ATTACH for {name}</span>
        </button>
        <span role="status" class="quiet">
          {told}
        </span>
      </p>
      <pre>{sql};</pre>
    </>
  )
}
