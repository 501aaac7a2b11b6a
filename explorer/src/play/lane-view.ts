/** One of two writers, as the page draws it. */
import type { Call } from '../calls/call.ts'
import type { Failure } from '../messages.ts'

export type LaneName = 'A' | 'B'
export const LANES: readonly LaneName[] = ['A', 'B']

export interface LaneView {
  readonly lane: LaneName
  readonly call: Call | null
  /** how far it is: nothing done; version read; files written and in no commit; ended one way or the other */
  readonly phase: 'idle' | 'read' | 'written' | 'committed' | 'lost' | 'failed'
  readonly versionRead: number | null
  /** data files that lie in the folder and are in no commit yet */
  readonly written: readonly string[]
  /** what the commit it is about to send says */
  readonly adds: readonly string[]
  readonly removes: readonly string[]
  /** what it asked of the store for its commit, in words */
  readonly trace: readonly string[]
  readonly version: number | null
  readonly failure: Failure | null
}
