/** How others attach a version: the ATTACH for each DuckDB that opens one of its catalogs. */
import { DATA, type VersionRecord, versionFolder } from './layout.ts'
import { chooseCatalog, EXTENSIONS } from './open.ts'

export interface AttachLine {
  readonly reader: string
  /** undefined: it opens none of the version's catalogs */
  readonly sql: string | undefined
  readonly url: string | undefined
  readonly ducklake: string | undefined
}

/** @param root the repository as the reader reaches it: a path, an http(s) or s3 address */
export function attachLines(version: VersionRecord, root: string): AttachLine[] {
  const base = root.replace(/\/$/, '')
  return EXTENSIONS.map((reader): AttachLine => {
    const record = chooseCatalog(version, reader)
    if (record === undefined) return { reader: reader.name, sql: undefined, url: undefined, ducklake: undefined }
    const url = `${base}/${versionFolder(version.id)}${record.path}`
    const quoted = (text: string) => text.replaceAll("'", "''")
    const sql = `ATTACH 'ducklake:${quoted(url)}' AS lake (READ_ONLY, DATA_PATH '${quoted(base)}/${DATA}', OVERRIDE_DATA_PATH true)`
    return { reader: reader.name, sql, url, ducklake: record.ducklake }
  })
}
