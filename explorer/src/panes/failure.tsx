/** What is shown instead of an answer: what failed and what to do, or what is being read. */
import type { Failure } from '../messages.ts'

export function FailureBox({ failure }: { failure: Failure }) {
  return (
    <div class="failure" role="alert">
      <code>{failure.code}</code>
      <p>{failure.message}</p>
      {failure.remedy !== undefined && <p class="quiet">{failure.remedy}</p>}
    </div>
  )
}

export function Working({ what }: { what: string }) {
  return (
    <p class="working" role="status">
      {what}…
    </p>
  )
}
