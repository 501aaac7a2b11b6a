/** The files live at the chosen version and, under a predicate, why each is read or skipped. */
import { formatBytes, formatCount } from '../format.ts'
import type { FileLine, FilePage, Reader } from '../messages.ts'
import { useLoaded } from '../use-loaded.ts'
import { FailureBox, Working } from './failure.tsx'
import { WhereBox } from './where.tsx'

interface Props {
  readonly reader: Reader
  readonly version: number
  readonly where: string
  readonly onWhere: (where: string) => void
}

export function FilesPane({ reader, version, where, onWhere }: Props) {
  const page = useLoaded(() => reader.files(version, where), [version, where])
  return (
    <section aria-label="files" aria-busy={page.loading}>
      <WhereBox where={where} onWhere={onWhere} />
      {page.failure !== undefined && <FailureBox failure={page.failure} />}
      {page.value === undefined && page.failure === undefined && <Working what="listing the live files" />}
      {page.value !== undefined && <FileList page={page.value} filtered={where !== ''} />}
    </section>
  )
}

function FileList({ page, filtered }: { page: FilePage; filtered: boolean }) {
  return (
    <>
      <p>
        {formatCount(page.total, 'live file')}
        {filtered &&
          `, ${formatCount(page.kept, 'file')} to read, ${formatCount(page.total - page.kept, 'file')} skipped`}
        {page.files.length < page.total && `; the first ${page.files.length.toLocaleString('en')} are shown`}
      </p>
      <ul class="files">
        {page.files.map((file) => (
          <li key={`${file.path}${file.deletedRows}`} class={file.outcome?.kept === false ? 'file skipped' : 'file'}>
            <FileCard file={file} />
          </li>
        ))}
      </ul>
    </>
  )
}

function FileCard({ file }: { file: FileLine }) {
  return (
    <details>
      <summary>
        <span class="file-rows">{file.numRecords === null ? 'rows unknown' : formatCount(file.numRecords, 'row')}</span>
        <span class="file-path">{file.path}</span>
        <span class="quiet">{formatBytes(file.size)}</span>
        {file.deletedRows > 0 && <span class="mark">{formatCount(file.deletedRows, 'row')} deleted</span>}
        {file.outcome !== null && (
          <span class="outcome">
            {file.outcome.kept ? '' : 'skipped: '}
            {file.outcome.reason}
          </span>
        )}
      </summary>
      <dl>
        {file.partition.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value === null ? <span class="null">null</span> : value}</dd>
          </div>
        ))}
      </dl>
      {file.stats === null ? <p class="quiet">no statistics</p> : <pre>{file.stats}</pre>}
    </details>
  )
}
