/** What is shown instead of an answer: what failed and what to do, or what is being read. */
import type { ComponentChildren } from 'preact'
import type { Failure } from '../messages.ts'

export function FailureBox({ failure }: { failure: Failure }) {
  return (
    <div class="failure" role="alert">
      <code>{failure.code}</code>
      <p>{failure.message}</p>
      {failure.remedy !== undefined && <p class="remedy">{failure.remedy}</p>}
    </div>
  )
}

export function Working({ what }: { what: string }) {
  return (
    <p class="working" role="status">
      <span class="dots" aria-hidden="true" />
      {what}…
    </p>
  )
}

export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      <p>{children}</p>
    </div>
  )
}
