/** A playground that is open: its table, the chosen version, what the last call did. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { Call } from '../../calls/call.ts'
import type { Failure, OpenedTable, Performed, PlayStart, PlayState } from '../../messages.ts'
import type { Remote } from '../../remote.ts'
import { failureFrom } from '../../use-loaded.ts'

export interface Play {
  readonly id: string
  readonly state: PlayState | undefined
  readonly opened: OpenedTable | undefined
  readonly revision: number
  readonly busy: boolean
  readonly failure: Failure | null
  readonly performed: Performed | null
  run(call: Call): Promise<void>
  undo(): Promise<void>
  begin(start: PlayStart): Promise<void>
  load(bytes: Uint8Array): Promise<void>
  /** asks the engine for what the table is now */
  adopt(state: PlayState): void
  readonly begun: Failure | null
}

export function usePlay(
  remote: Remote,
  id: string,
  start: () => Promise<PlayStart>,
  onVersion: (version: null) => void,
): Play {
  const [state, setState] = useState<PlayState>()
  const [begun, setBegun] = useState<Failure | null>(null)
  const [revision, setRevision] = useState(0)
  const [busy, setBusy] = useState(true)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [performed, setPerformed] = useState<Performed | null>(null)

  const adopt = useCallback((next: PlayState) => {
    setState(next)
    setRevision((known) => known + 1)
    setBusy(false)
  }, [])
  const during = useCallback(async (work: () => Promise<void>) => {
    setBusy(true)
    setFailure(null)
    try {
      await work()
    } catch (error) {
      setFailure(failureFrom(error))
      setPerformed(null)
    }
    setBusy(false)
  }, [])

  useEffect(() => {
    let wanted = true
    start()
      .then((from) => remote.play(id, from))
      .then(
        (next) => wanted && adopt(next),
        (error: unknown) => wanted && setBegun(failureFrom(error)),
      )
    return () => {
      wanted = false
    }
  }, [id])

  return {
    id,
    state,
    opened: state?.opened,
    revision,
    busy,
    failure,
    performed,
    begun,
    adopt,
    run: (call) =>
      during(async () => {
        const done = await remote.perform(id, call)
        setPerformed(done)
        setState((known) => known && stateAfter(known, done, call))
        setRevision((known) => known + 1)
        if (done.version !== null) onVersion(null)
      }),
    undo: () =>
      during(async () => {
        adopt(await remote.undo(id))
        setPerformed(null)
        onVersion(null)
      }),
    begin: (from) =>
      during(async () => {
        adopt(await remote.play(id, from))
        setPerformed(null)
        onVersion(null)
      }),
    load: (bytes) =>
      during(async () => {
        adopt(await remote.unzip(id, bytes))
        setPerformed(null)
        onVersion(null)
      }),
  }
}

function stateAfter(known: PlayState, done: Performed, call: Call): PlayState {
  const calls = known.calls === null ? null : { ...known.calls, calls: [...known.calls.calls, call] }
  return { ...known, opened: done.opened, canUndo: done.canUndo, nowMs: done.nowMs, columns: done.columns, calls }
}
