/** Addresses of tables in DuckLake catalogs and repositories: `ducklake:CATALOG#schema.table`. */
import { deltaError } from '../../errors/index.ts'

export interface LakeAddress {
  /** the catalog file, or the repository */
  readonly place: string
  /** branch, tag or version of a repository */
  readonly ref?: string
  /** absent: the address names a whole catalog */
  readonly table?: string
}

export function isLakeAddress(location: string): boolean {
  return location.startsWith('ducklake:')
}

/**
 * A `#` begins the table, an `@` behind the last `/` the ref.
 *
 * @throws DeltaError `LAKE_INVALID_LOCATION`
 */
export function parseLakeAddress(location: string): LakeAddress {
  const text = location.slice('ducklake:'.length)
  const hash = text.indexOf('#')
  const table = hash < 0 ? undefined : text.slice(hash + 1)
  const whole = hash < 0 ? text : text.slice(0, hash)
  const at = whole.indexOf('@', whole.lastIndexOf('://') + 1)
  const [place, ref] = at < 0 ? [whole, undefined] : [whole.slice(0, at), whole.slice(at + 1)]
  if (place === '' || table === '' || ref === '') {
    const reason =
      'a table of a lake is ducklake:CATALOG#schema.table, of a repository ducklake:REPOSITORY@REF#schema.table'
    throw deltaError('LAKE_INVALID_LOCATION', { location: JSON.stringify(location), reason })
  }
  return { place, ...(ref !== undefined && { ref }), ...(table !== undefined && { table }) }
}
