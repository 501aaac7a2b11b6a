/** Whether a repository is sound: refs, versions, catalogs, files; on request every row through every catalog. */
import type { DuckDbOptions } from '../../engine/duckdb/index.ts'
import { causeText, isDeltaError } from '../../errors/index.ts'
import { decodeUtf8 } from '../../support/index.ts'
import { safeNumber } from '../catalog/catalog.ts'
import type { OpenStore } from '../catalog/file-access.ts'
import { readStorageHeader } from '../catalog/storage-header.ts'
import type { Lake } from '../lake.ts'
import { loadLiveFiles } from '../scan/data-files.ts'
import { openRelation } from '../scan/relation.ts'
import { below } from '../snapshot/lake-snapshot.ts'
import { catalogDigest } from '../write/digest.ts'
import { type CatalogRecord, type VersionRecord, versionFolder } from './layout.ts'
import { fetchChecked, openVersion } from './open.ts'
import { type Repository, sizeIfThere } from './repository.ts'

export interface VerifyOptions {
  readonly openStore: OpenStore
  readonly engine?: DuckDbOptions
  /** a branch, tag or id; the versions that refs name when absent */
  readonly ref?: string
  /** true: every version that refs reach */
  readonly all?: boolean
  /** true: the rows of every snapshot of every table through every catalog */
  readonly rows?: boolean
}

export interface Finding {
  /** the object or version at fault */
  readonly object: string
  readonly problem: string
}

export interface VerifyReport {
  readonly root: string
  readonly versions: readonly string[]
  readonly catalogs: number
  readonly files: number
  readonly findings: readonly Finding[]
}

/** Reads only; what is wrong is told and not thrown. */
export async function verify(repository: Repository, options: VerifyOptions): Promise<VerifyReport> {
  const check = new Check(repository, options)
  await check.run()
  return check.report()
}

class Check {
  private readonly repository: Repository
  private readonly options: VerifyOptions
  private readonly findings: Finding[] = []
  private readonly versions: string[] = []
  private readonly sizes = new Map<string, number | undefined>()
  private catalogs = 0

  constructor(repository: Repository, options: VerifyOptions) {
    this.repository = repository
    this.options = options
  }

  report(): VerifyReport {
    const { versions, catalogs, findings } = this
    return { root: this.repository.root, versions, catalogs, files: this.sizes.size, findings }
  }

  async run(): Promise<void> {
    for (const [id, from] of await this.wanted()) {
      await this.guard(from, async () => {
        const version = await this.repository.version(id, from)
        if (version.withdrawn === undefined) await this.version(version)
      })
    }
  }

  /** Ids, each with what names it. */
  private async wanted(): Promise<Map<string, string>> {
    const ids = new Map<string, string>()
    if (this.options.ref !== undefined) {
      await this.guard(
        this.options.ref,
        async () => void ids.set(await this.repository.resolve(this.options.ref), this.options.ref!),
      )
    } else {
      for (const { key, id } of await this.repository.refs()) ids.set(id, ids.get(id) ?? key)
      await this.guard('HEAD', async () => void (await this.repository.headRef()))
    }
    if (!this.options.all) return ids
    for (const [id, from] of [...ids]) {
      await this.guard(from, async () => {
        for await (const version of this.repository.history(id))
          ids.set(version.id, ids.get(version.id) ?? `an ancestor of ${from}`)
      })
    }
    return ids
  }

  private async version(version: VersionRecord): Promise<void> {
    const { id } = version
    this.versions.push(id)
    for (const parent of version.parents)
      await this.guard(`versions/${id}`, async () => void (await this.repository.version(parent, id)))
    const listed = await this.repository.files(id)
    let first: { record: CatalogRecord; digest: string; rows: string | undefined } | undefined
    for (const record of [version.main, ...(version.catalogs ?? [])]) {
      const object = versionFolder(id) + record.path
      await this.guard(object, async () => {
        this.catalogs++
        const seen = await this.catalog(version, record, listed)
        if (first === undefined) first = { record, ...seen }
        else if (seen.digest !== first.digest) this.find(object, `it says something else than ${first.record.path}`)
        else if (seen.rows !== first.rows) this.find(object, `its rows differ from those of ${first.record.path}`)
      })
    }
  }

  private async catalog(
    version: VersionRecord,
    record: CatalogRecord,
    listed: readonly { path: string; bytes: number }[] | undefined,
  ) {
    const object = versionFolder(version.id) + record.path
    const header = readStorageHeader(await fetchChecked(this.repository, version.id, record))
    if (header !== undefined && record.storage !== '' && header.needs !== record.storage) {
      this.find(object, `it needs DuckDB ${header.needs}, and ${record.storage} is recorded`)
    }
    const { openStore, engine } = this.options
    const open = await openVersion(this.repository, version, { openStore, record, ...(engine && { engine }) })
    try {
      if (open.lake.format !== record.ducklake)
        this.find(object, `it has format ${open.lake.format}, and ${record.ducklake} is recorded`)
      await this.ids(object, open.lake)
      await this.files(object, open.lake, listed)
      const rows = this.options.rows ? await rowsDigest(open.lake) : undefined
      return { digest: await catalogDigest(open.lake.catalog), rows }
    } finally {
      await open.close()
    }
  }

  private async ids(object: string, { catalog }: Lake): Promise<void> {
    const [row] = await catalog.query(
      `SELECT (SELECT max(greatest((SELECT coalesce(max(data_file_id), -1) FROM ${catalog.view('data_file')}),
                       (SELECT coalesce(max(delete_file_id), -1) FROM ${catalog.view('delete_file')}))) < max(next_file_id)
               FROM ${catalog.view('snapshot')}),
              (SELECT coalesce((SELECT max(table_id) FROM ${catalog.view('table')}), -1) < max(next_catalog_id) FROM ${catalog.view('snapshot')})`,
    )
    if (row?.[0] !== true) this.find(object, 'the id of a file is not below next_file_id')
    if (row?.[1] !== true) this.find(object, 'the id of a table is not below next_catalog_id')
    const twice = await catalog.query(
      `SELECT a.data_file_id FROM ${catalog.view('delete_file')} a JOIN ${catalog.view('delete_file')} b
         ON a.data_file_id = b.data_file_id AND a.delete_file_id < b.delete_file_id
        AND a.begin_snapshot < coalesce(b.end_snapshot, 9223372036854775807)
        AND b.begin_snapshot < coalesce(a.end_snapshot, 9223372036854775807) LIMIT 1`,
    )
    if (twice.length > 0) this.find(object, `the data file ${twice[0]![0]} has two delete files at one snapshot`)
  }

  /** Every file any snapshot names: below data/, there, of its size, of its kind, in files.json. */
  private async files(
    object: string,
    lake: Lake,
    listed: readonly { path: string; bytes: number }[] | undefined,
  ): Promise<void> {
    const named = new Set<string>()
    for (const file of await namedFiles(lake)) {
      if (!file.isRelative || file.path.split('/').includes('..')) {
        this.find(object, `it names ${file.path}, which is not below data/`)
        continue
      }
      const key = `data/${file.path}`
      named.add(key)
      if (!this.sizes.has(key)) await this.guard(key, () => this.file(key, file))
      const inList = listed?.find(({ path }) => path === key)
      if (listed !== undefined && inList?.bytes !== file.size)
        this.find(object, `files.json does not list ${key} with ${file.size} bytes`)
    }
    for (const { path } of listed ?? [])
      if (!named.has(path)) this.find(object, `files.json lists ${path}, which no snapshot names`)
  }

  private async file(key: string, file: NamedFile): Promise<void> {
    const size = await sizeIfThere(this.repository.store, key)
    this.sizes.set(key, size)
    if (size === undefined) return this.find(key, 'it is not there')
    if (size !== file.size) return this.find(key, `it has ${size} bytes, and the catalog says ${file.size}`)
    const head = await this.repository.store.getRange(key, { start: 0, end: 12 })
    const isPuffin =
      decodeUtf8(head.subarray(0, 4)) === 'PFA1' ||
      new DataView(head.buffer, head.byteOffset).getUint32(4, false) === 0xd1d33964
    if (file.format === 'puffin') return isPuffin ? undefined : this.find(key, 'it is no Puffin file')
    const tail = await this.repository.store.getRange(key, { start: size - 8, end: size })
    if (decodeUtf8(head.subarray(0, 4)) !== 'PAR1' || decodeUtf8(tail.subarray(4)) !== 'PAR1')
      return this.find(key, 'it is no Parquet file')
    const footer = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true)
    if (file.footerSize !== undefined && file.footerSize !== footer)
      this.find(key, `its footer has ${footer} bytes, and the catalog says ${file.footerSize}`)
  }

  private async guard(object: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!isDeltaError(error)) throw error
      this.find(object, `${error.code}: ${causeText(error)}`)
    }
  }

  private find(object: string, problem: string): void {
    this.findings.push({ object, problem })
  }
}

interface NamedFile {
  /** below the data path, unless it stands alone */
  readonly path: string
  readonly isRelative: boolean
  readonly size: number
  readonly footerSize: number | undefined
  readonly format: string
}

async function namedFiles({ catalog }: Lake): Promise<NamedFile[]> {
  const rows = await catalog.query(
    `SELECT f.path, f.path_is_relative, f.file_size_bytes, f.footer_size, f.format,
            t.path, t.path_is_relative, s.path, s.path_is_relative
     FROM (SELECT table_id, path, path_is_relative, file_size_bytes, footer_size, 'parquet' AS format FROM ${catalog.view('data_file')}
           UNION ALL SELECT table_id, path, path_is_relative, file_size_bytes, footer_size, format FROM ${catalog.view('delete_file')}) f
     LEFT JOIN (SELECT table_id, any_value(path) AS path, any_value(path_is_relative) AS path_is_relative,
                       any_value(schema_id) AS schema_id FROM ${catalog.view('table')} GROUP BY table_id) t USING (table_id)
     LEFT JOIN ${catalog.view('schema')} s USING (schema_id)`,
  )
  return rows.map((row) => {
    const schema = below({ path: '', isRelative: true }, String(row[7] ?? ''), row[8] !== false)
    const table = below(schema, String(row[5] ?? ''), row[6] !== false)
    return {
      ...below(table, String(row[0]), row[1] !== false),
      size: safeNumber(row[2]),
      footerSize: row[3] === null || row[4] === 'puffin' ? undefined : safeNumber(row[3]),
      format: String(row[4]),
    }
  })
}

/** Per snapshot and table the number of rows and a hash that no order changes. */
async function rowsDigest(lake: Lake): Promise<string> {
  const parts: string[] = []
  for (const info of await lake.snapshots()) {
    const snapshot = await lake.snapshot({ version: info.id })
    for (const { name } of await snapshot.tables()) {
      const table = await snapshot.table(name)
      const { catalog, access } = lake
      const files = await loadLiveFiles(catalog, table, info.id)
      const relation = await openRelation({ catalog, access, table, snapshot: info.id, columns: table.columns })
      try {
        const values = table.columns.map((_, i) => `v${i}::VARCHAR`)
        const [row] = await catalog.query(
          `SELECT count(*)::VARCHAR, sum(hash(${[...values, 'row_id'].join(', ')}))::VARCHAR FROM (${relation.sql}) t`,
        )
        parts.push(`${info.id} ${name} ${files.length} ${row!.join(' ')}`)
      } finally {
        await relation.close()
      }
    }
  }
  return parts.join('\n')
}
