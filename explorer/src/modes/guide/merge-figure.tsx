/** MERGE clause by clause, with the cases that trip people up as buttons. */
import { useState } from 'preact/hooks'
import type { Call } from '../../calls/call.ts'
import { FailureBox, Working } from '../../panes/failure.tsx'
import { order, SUPPLIER_MERGE, SUPPLIER_ROWS } from '../../play/starter.ts'
import { LivePanes } from '../play/live-panes.tsx'
import { MergeBuilder } from '../play/merge-builder.tsx'
import { usePlay } from '../play/use-play.ts'
import { type FigureProps, TwoForms } from './live-figure.tsx'
import { SECOND_CALL } from './starts.ts'

type Merge = Extract<Call, { op: 'merge' }>

const SUPPLIER = SUPPLIER_MERGE as Merge
const UPSERT: Merge = {
  ...SUPPLIER,
  source: [
    order('1044', 'Moreau', 'FR', '2024-02', '45.00', '2024-04-02 09:00:00'),
    order('1053', 'Fischer', 'DE', '2024-03', '75.20', '2024-04-02 09:00:00'),
  ],
  clauses: [
    { when: 'matched', action: 'update', set: '*', condition: '' },
    { when: 'notMatched', action: 'insert', set: '*', condition: '' },
  ],
}
const OLD_FILE = [order('1044', 'Moreau', 'FR', '2024-02', '40.00', '2024-01-01 09:00:00')]
const [updateAll, insertAll] = UPSERT.clauses

const CASES: readonly { readonly title: string; readonly says: string; readonly call: Merge }[] = [
  {
    title: 'New, corrected, cancelled',
    says: 'One call that does three things at once. The first clause whose condition holds takes the row.',
    call: { ...SUPPLIER, source: SUPPLIER_ROWS },
  },
  {
    title: 'Update or insert',
    says: 'The shortest useful merge: what matches is overwritten, what is new is added.',
    call: UPSERT,
  },
  {
    title: 'An old file, unguarded',
    says: 'Last month’s file is run again by mistake. Nothing stops it: the newer amount is overwritten by the stale one.',
    call: { ...UPSERT, source: OLD_FILE },
  },
  {
    title: 'An old file, guarded',
    says: 'With a condition on the clause the same file changes nothing, however often and in whatever order it is run.',
    call: {
      ...UPSERT,
      source: OLD_FILE,
      clauses: [{ ...updateAll!, condition: 's.updated_at > t.updated_at' }, insertAll!],
    },
  },
  {
    title: 'Two source rows for one order',
    says: 'Which of them should win? No rule can know: the merge is refused.',
    call: {
      ...UPSERT,
      source: [...UPSERT.source, order('1044', 'Moreau', 'FR', '2024-02', '46.00', '2024-04-02 10:00:00')],
    },
  },
  {
    title: 'A key that is null',
    says: 'null = null is not true in SQL, so such a row never matches and is inserted each time. <=> compares nulls too.',
    call: { ...UPSERT, source: [[['order_id', null], ...UPSERT.source[0]!.slice(1)]] },
  },
  {
    title: 'A clause that can never fire',
    says: 'Behind a clause without a condition no other of its kind is ever reached: refused, so that nobody waits for it.',
    call: {
      ...UPSERT,
      clauses: [updateAll!, { when: 'matched', action: 'delete', set: [], condition: "s.country = 'FR'" }, insertAll!],
    },
  },
]

export function MergeFigure({ remote, place, go, onState }: FigureProps) {
  const start = { from: 'first', calls: [SECOND_CALL] } as const
  const play = usePlay(
    remote,
    'guide-merge',
    async () => start,
    () => go({ version: null }),
  )
  const [call, setCall] = useState<Merge>(CASES[0]!.call)
  const [says, setSays] = useState(CASES[0]!.says)
  if (play.begun !== null) return <FailureBox failure={play.begun} />
  if (play.state === undefined || play.opened === undefined) return <Working what="making the table of this chapter" />
  onState(play.state.calls)
  const types = new Map(play.state.columns.map(({ name, type }) => [name, type]))
  return (
    <div class="figure">
      <div class="figure-buttons" role="toolbar" aria-label="cases">
        {CASES.map((one) => (
          <button
            key={one.title}
            type="button"
            aria-pressed={says === one.says}
            class="op"
            onClick={() => {
              setCall(one.call)
              setSays(one.says)
            }}
          >
            {one.title}
          </button>
        ))}
      </div>
      <p class="says">{says}</p>
      <div class="pane">
        <MergeBuilder
          remote={remote}
          id={play.id}
          latest={play.revision}
          call={call}
          onCall={(next) => next.op === 'merge' && setCall(next)}
        />
        <TwoForms call={call} types={types} />
        <p class="run-line">
          <button type="button" class="primary" disabled={play.busy} onClick={() => void play.run(call)}>
            Execute
          </button>
          <button type="button" disabled={play.busy || !play.state.canUndo} onClick={() => void play.undo()}>
            Undo
          </button>
          <button type="button" disabled={play.busy} onClick={() => void play.begin(start)}>
            Start over
          </button>
        </p>
        {play.failure !== null && <FailureBox failure={play.failure} />}
        {play.performed !== null && play.failure === null && (
          <p class="done-line" role="status">
            {play.performed.version === null ? 'No commit' : `Version ${play.performed.version}`}:{' '}
            {play.performed.notes.join('; ')}
          </p>
        )}
      </div>
      <LivePanes remote={remote} opened={play.opened} revision={play.revision} place={place} go={go} />
    </div>
  )
}
