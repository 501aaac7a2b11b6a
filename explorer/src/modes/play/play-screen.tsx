/** The playground: folder, log and rows of a table that calls change, and the calls. */
import { useMemo, useRef, useState } from 'preact/hooks'
import type { Call } from '../../calls/call.ts'
import { formatMoment } from '../../format.ts'
import type { Place } from '../../location.ts'
import type { PlayStart } from '../../messages.ts'
import { FailureBox, Working } from '../../panes/failure.tsx'
import type { Remote } from '../../remote.ts'
import { LONGEST_LINK, packShared, unpackShared } from '../../share.ts'
import { CallBuilder } from './builder.tsx'
import { EXAMPLES } from './examples.ts'
import { LivePanes } from './live-panes.tsx'
import { type Play, usePlay } from './use-play.ts'

interface Props {
  readonly remote: Remote
  readonly place: Place
  readonly go: (change: Partial<Place>) => void
}

/** A link's calls come before what the browser kept. */
async function startOfPage(): Promise<PlayStart> {
  const shared = await unpackShared(location.hash)
  if (shared === undefined) return { from: 'starter', keep: true }
  history.replaceState(null, '', location.pathname + location.search)
  return { ...shared.start, calls: [...(shared.start.calls ?? []), ...shared.calls], keep: false }
}

export function PlayScreen({ remote, place, go }: Props) {
  const play = usePlay(remote, 'kept', startOfPage, () => go({ version: null, file: '' }))
  const [call, setCall] = useState<Call>(() => EXAMPLES[0]!.call(0))
  const types = useMemo(() => new Map(play.state?.columns.map(({ name, type }) => [name, type])), [play.state])
  if (play.begun !== null) return <FailureBox failure={play.begun} />
  if (play.state === undefined || play.opened === undefined) return <Working what="making the starter table" />
  return (
    <main class="play">
      <PlayBar remote={remote} play={play} />
      <LivePanes
        remote={remote}
        opened={play.opened}
        revision={play.revision}
        place={place}
        go={go}
        aside={
          <CallBuilder
            remote={remote}
            id={play.id}
            latest={play.opened.latest}
            types={types}
            call={call}
            onCall={setCall}
            onRun={(chosen) => void play.run(chosen)}
            busy={play.busy}
            failure={play.failure}
            performed={play.performed}
          />
        }
      />
    </main>
  )
}

function PlayBar({ remote, play }: { remote: Remote; play: Play }) {
  const input = useRef<HTMLInputElement>(null)
  const [told, setTold] = useState('')
  const { state, busy } = play
  const share = async () => {
    if (state?.calls === null || state === undefined)
      return setTold('A table that was loaded cannot be shared by a link: download it.')
    const link = `${location.origin}${location.pathname}?mode=play#${await packShared(state.calls)}`
    if (link.length > LONGEST_LINK) return setTold('Too many calls for a link: download the table instead.')
    history.replaceState(null, '', link)
    await navigator.clipboard?.writeText(link).catch(() => undefined)
    return setTold('The address of this page is now a link to this table.')
  }
  return (
    <div class="play-bar">
      <div class="play-name">
        <h1>orders</h1>
        <code>/lake/orders</code>
        <span class="quiet">in this page's memory</span>
      </div>
      <div class="play-tools" role="toolbar" aria-label="the whole table">
        <button type="button" disabled={busy || state?.canUndo !== true} onClick={() => void play.undo()}>
          Undo
        </button>
        <button type="button" disabled={busy} onClick={() => void play.begin({ from: 'starter' })}>
          Reset
        </button>
        <button type="button" disabled={busy} onClick={() => void share()}>
          Share
        </button>
        <button type="button" disabled={busy} onClick={() => void download(remote, play.id)}>
          Download zip
        </button>
        <button type="button" disabled={busy} onClick={() => input.current?.click()}>
          Load zip
        </button>
        <input
          ref={input}
          type="file"
          accept=".zip"
          hidden
          aria-label="zip of a table"
          onChange={async (event) => {
            const file = event.currentTarget.files?.[0]
            if (file !== undefined) await play.load(new Uint8Array(await file.arrayBuffer()))
          }}
        />
      </div>
      <div class="play-clock">
        <span class="quiet">now</span> <time>{formatMoment(state?.nowMs ?? null)}</time>
        <button type="button" disabled={busy} onClick={() => void play.run({ op: 'wait', hours: 24 })}>
          +1 day
        </button>
        <button type="button" disabled={busy} onClick={() => void play.run({ op: 'wait', hours: 168 })}>
          +7 days
        </button>
      </div>
      <p class="told" role="status">
        {told}
      </p>
    </div>
  )
}

async function download(remote: Remote, id: string): Promise<void> {
  const bytes = await remote.zip(id)
  const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/zip' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'orders.zip'
  link.click()
  URL.revokeObjectURL(url)
}
