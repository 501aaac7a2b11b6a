/**
 * Which side of a join is hashed.
 *
 * DuckDB takes a scan with a `schema=` for a few rows, whatever its files hold, and would hash the table. Crossed with a
 * relation of one row that it takes for many, the table streams past the other side instead.
 */

const LEAST = 1_000
const MOST = 1_000_000

/**
 * The relations to read from, behind FROM.
 *
 * @param relation of many rows
 * @param hashed number of rows of the other side
 * @param numFiles of the relation
 */
export function streamed(relation: string, hashed: number, numFiles: number): string {
  const weight = Math.min(MOST, Math.max(LEAST, Math.ceil((10 * hashed) / Math.max(1, numFiles))))
  return `${relation}, (SELECT 1 FROM range(${weight}) w(w) WHERE w = 0)`
}
