/**
 * The canonical path of a log's path text in SQL, for the texts where that is simple.
 *
 * It equals the kernel's `canonicalPath` where it gives a value; NULL sends the row to that function.
 */

/** Hard texts: absolute paths, schemes, and escapes that may decode to more than ASCII. */
export function canonicalPathSql(path: string): string {
  return `CASE
    WHEN starts_with(${path}, '/') OR (contains(${path}, ':') AND regexp_matches(${path}, '^[A-Za-z][A-Za-z0-9+.-]*:')) THEN NULL
    WHEN NOT contains(${path}, '%') THEN ${path}
    WHEN regexp_full_match(${path}, '(?s)([^%]|%[0-7][0-9A-Fa-f])*') THEN url_decode(${path})
    END`
}
