/** Names, texts and paths as DuckDB SQL. */

/** A name in double quotes, whatever it holds. */
export function quoteIdent(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text in single quotes; DuckDB knows no other escape than the doubled quote. */
export function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Paths in `read_parquet`, `read_json` and `read_csv` are globs: each special character becomes a class of its own. */
export function escapeGlob(path: string): string {
  return path.replace(/[*?[]/g, (character) => `[${character}]`)
}

/** A list of quoted, glob-escaped paths: `['…','…']`. */
export function pathList(paths: readonly string[]): string {
  return `[${paths.map((path) => quoteLiteral(escapeGlob(path))).join(',')}]`
}
