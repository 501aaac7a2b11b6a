/** Rows of one step of a chain of changes: half meet rows of the table, half are new. */
const CHAIN_ROWS = 100_000
const START = new Date('2026-01-01T00:00:00Z')

export function chainRows(step, count) {
  const half = count >> 1
  const known = Array.from({ length: half }, (_, j) => (step * 7919 + j * Math.floor(CHAIN_ROWS / half)) % CHAIN_ROWS)
  const fresh = Array.from({ length: half }, (_, j) => CHAIN_ROWS + step * half + j)
  return [...known, ...fresh].map((i) => ({
    id: BigInt(i),
    part: `p${String(i % 100).padStart(2, '0')}`,
    ts: START,
    cust: BigInt(i % 1_000_003),
    amount: step + 0.5,
    s: `step${step}`,
  }))
}
