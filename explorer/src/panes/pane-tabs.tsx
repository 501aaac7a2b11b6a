/** The tabs over a pane, moved through by arrow keys. */
import type { Pane } from '../location.ts'

interface Props {
  readonly titles: Readonly<Partial<Record<Pane, string>>>
  readonly panes: readonly Pane[]
  readonly chosen: Pane
  readonly onChoose: (pane: Pane) => void
}

export function PaneTabs({ titles, panes, chosen, onChoose }: Props) {
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const next = panes[(panes.indexOf(chosen) + step + panes.length) % panes.length]
    if (next === undefined) return
    onChoose(next)
    document.getElementById(`tab-${next}`)?.focus()
  }
  return (
    <div role="tablist" aria-label="what to look at" class="tabs" onKeyDown={move}>
      {panes.map((pane) => (
        <button
          key={pane}
          id={`tab-${pane}`}
          type="button"
          role="tab"
          aria-selected={pane === chosen}
          aria-controls="pane"
          tabIndex={pane === chosen ? 0 : -1}
          onClick={() => onChoose(pane)}
        >
          {titles[pane]}
        </button>
      ))}
    </div>
  )
}
