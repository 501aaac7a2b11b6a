/** Paths as the reference prints them: those of a local folder with `file:` before them. */

export function printedPath(location: string, key?: string): string {
  const root = location.startsWith('/') ? `file:${location}` : location
  return key === undefined ? root : `${root.replace(/\/+$/, '')}/${key}`
}
