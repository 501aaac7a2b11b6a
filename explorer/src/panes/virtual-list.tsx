/** A long list of which only what is in view is drawn; every line has one height. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { scrollShape } from './scroll-shape.ts'

const OVERSCAN = 6

interface Props {
  readonly label: string
  readonly count: number
  readonly lineHeight: number
  /** the first line to show when it changes */
  readonly shown?: number
  readonly render: (index: number) => ComponentChildren
  /** told which lines are in view */
  readonly onView?: (first: number, last: number) => void
}

export function VirtualList({ label, count, lineHeight, shown, render, onView }: Props) {
  const box = useRef<HTMLElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  const { space, ratio } = scrollShape(count * lineHeight, height)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    const element = box.current
    if (element === null || shown === undefined) return
    const at = (shown * lineHeight) / ratio
    if (at < element.scrollTop || at > element.scrollTop + element.clientHeight - lineHeight) {
      element.scrollTop = Math.max(0, at - element.clientHeight / 2)
    }
  }, [shown, lineHeight, ratio])
  const first = Math.max(0, Math.floor((top * ratio) / lineHeight) - OVERSCAN)
  const last = Math.min(count - 1, first + Math.ceil(height / lineHeight) + 2 * OVERSCAN)
  useEffect(() => onView?.(first, last), [first, last, count])
  const offset = first * lineHeight - (top * ratio - top)
  return (
    <section
      ref={box}
      class="virtual"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="virtual-space" style={{ height: `${space}px` }}>
        <ul style={{ transform: `translateY(${Math.max(0, offset)}px)` }}>
          {Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (
            <li
              key={first + i}
              style={{ height: `${lineHeight}px` }}
              aria-setsize={count}
              aria-posinset={first + i + 1}
            >
              {render(first + i)}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
