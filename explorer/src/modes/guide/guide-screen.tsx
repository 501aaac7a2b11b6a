/** The guide: chapters on the left, the chosen one with its figure, and the way on. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Call } from '../../calls/call.ts'
import type { Place } from '../../location.ts'
import type { PlayStart } from '../../messages.ts'
import type { Remote } from '../../remote.ts'
import { packShared } from '../../share.ts'
import { CHAPTERS } from './chapters.tsx'

interface Props {
  readonly remote: Remote
  readonly place: Place
  readonly go: (change: Partial<Place>) => void
}

const FRESH = { version: null, against: null, where: '', file: '', row: '' } as const

export function GuideScreen({ remote, place, go }: Props) {
  const index = Math.max(
    0,
    CHAPTERS.findIndex(({ id }) => id === place.step),
  )
  const chapter = CHAPTERS[index]!
  const heading = useRef<HTMLHeadingElement>(null)
  const shared = useRef<{ readonly start: PlayStart; readonly calls: readonly Call[] } | null>(null)
  // the chapter whose figure has told its state
  const [toldBy, setToldBy] = useState('')
  const show = (next: number) => {
    go({ mode: 'guide', step: CHAPTERS[next]!.id, ...FRESH })
    heading.current?.focus({ preventScroll: true })
    scrollTo({ top: 0 })
  }
  useEffect(() => {
    document.title = `${chapter.title} · bayou`
  }, [chapter])
  const take = async () => {
    const hash = shared.current === null ? '' : `#${await packShared(shared.current)}`
    go({ mode: 'play', step: '', ...FRESH })
    history.replaceState(null, '', `?mode=play${hash}`)
  }
  const { Figure } = chapter
  return (
    <div class="guide">
      <nav class="chapters" aria-label="chapters">
        <ol>
          {CHAPTERS.map(({ id, title }, at) => (
            <li key={id}>
              <button type="button" aria-current={at === index ? 'step' : undefined} onClick={() => show(at)}>
                <span class="chapter-number">{at + 1}</span> {title}
              </button>
            </li>
          ))}
        </ol>
      </nav>
      <main>
        <div class="prose">
          <p class="chapter-place">
            Chapter {index + 1} of {CHAPTERS.length}
          </p>
          <h1 ref={heading} tabIndex={-1}>
            {chapter.title}
          </h1>
          {chapter.text.map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
          <p class="try">
            <strong>Try it.</strong> {chapter.try}
          </p>
        </div>
        <Figure
          key={chapter.id}
          remote={remote}
          place={place}
          go={go}
          onState={(state) => {
            shared.current = state
            if (toldBy !== chapter.id) setToldBy(chapter.id)
          }}
        />
        <p class="chapter-nav">
          <button type="button" disabled={index === 0} onClick={() => show(index - 1)}>
            ← Previous
          </button>
          <button type="button" disabled={toldBy !== chapter.id} onClick={() => void take()}>
            Take it to the playground
          </button>
          <button
            type="button"
            class="primary"
            disabled={index === CHAPTERS.length - 1}
            onClick={() => show(index + 1)}
          >
            Next →
          </button>
        </p>
      </main>
    </div>
  )
}
