/** A line on the terminal that says how far long work has come: files, bytes, rate, time left. None elsewhere. */
import type { Progress } from '../../operations/index.ts'
import type { Terminal } from '../terminal.ts'
import { formatBytes, formatSpan, plural } from './sizes.ts'
import { cut } from './text-width.ts'

const DRAW_EVERY_MS = 100
/** work that ends sooner shows nothing */
const FIRST_DRAW_MS = 500
const CLEAR_LINE = '\r\u001b[K'

export class ProgressLine {
  private readonly stream: Terminal['stderr']
  private readonly title: string
  private readonly enabled: boolean
  private readonly startedMs = Date.now()
  private drawnMs = 0
  private totalBytes: number | undefined

  constructor(terminal: Terminal, title: string, enabled: boolean) {
    this.stream = terminal.stderr
    this.title = title
    this.enabled = enabled && terminal.stderr.isTTY === true
  }

  /** All the bytes there are to do, where that is known; with it the line shows the time left. */
  expect(totalBytes: number): void {
    this.totalBytes = totalBytes
  }

  /** Bound, to be handed on as `onProgress`. */
  readonly update = (progress: Progress): void => {
    const now = Date.now()
    if (!this.enabled || now - this.startedMs < FIRST_DRAW_MS || now - this.drawnMs < DRAW_EVERY_MS) return
    this.drawnMs = now
    const text = progressText({
      title: this.title,
      progress,
      elapsedMs: now - this.startedMs,
      totalBytes: this.totalBytes,
    })
    this.stream.write(`${CLEAR_LINE}${cut(text, (this.stream.columns ?? 80) - 1)}`)
  }

  /** Takes the line away, so that other text can follow. */
  clear(): void {
    if (this.drawnMs > 0) this.stream.write(CLEAR_LINE)
    this.drawnMs = 0
  }
}

interface ProgressState {
  readonly title: string
  readonly progress: Progress
  readonly elapsedMs: number
  readonly totalBytes: number | undefined
}

export function progressText({ title, progress, elapsedMs, totalBytes }: ProgressState): string {
  const { files, bytes, rows } = progress
  const rate = (bytes / elapsedMs) * 1000
  const parts = [plural(rows, 'row'), plural(files, 'file'), formatBytes(bytes), `${formatBytes(rate)}/s`]
  if (totalBytes !== undefined && bytes > 0 && bytes < totalBytes) {
    parts.push(`${formatSpan(((totalBytes - bytes) / rate) * 1000)} left`)
  }
  return `${title}  ${parts.join('  ')}`
}
