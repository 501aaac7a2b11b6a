/** When a row of the catalog counts. */

/** SQL: the row has begun and not ended at a snapshot. */
export function liveAt(snapshot: number, alias: string): string {
  const { begin, end } = { begin: `${alias}.begin_snapshot`, end: `${alias}.end_snapshot` }
  return `${begin} <= ${snapshot} AND (${end} IS NULL OR ${end} > ${snapshot})`
}
