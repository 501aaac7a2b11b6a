/**
 * How many calls of DuckDB may be under way in the process.
 *
 * Each holds one of the threads on which Node also opens files and looks up names. One of them is left free, so that
 * uploads go on while queries run; more queries at once would only share the same cores.
 */
import { Slots } from '../../support/index.ts'

const NODE_THREADS = Number(process.env.UV_THREADPOOL_SIZE) || 4

export const callSlots = new Slots(Math.max(1, NODE_THREADS - 1))
