/**
 * Standard output: text in large pieces, waiting where the reader is slow.
 *
 * A reader that goes away (`| head`) ends the work quietly: `onClosed` is called and nothing further is written.
 */
import { causeText, deltaError } from '../../errors/index.ts'
import type { ColorChoice } from '../globals.ts'
import type { Terminal } from '../terminal.ts'

const PIECE_CHARACTERS = 1 << 16

export class Output {
  readonly isTerminal: boolean
  /** cells of a line, where standard output is a terminal */
  readonly columns: number | undefined
  /** whether colours go to standard output */
  readonly color: boolean
  private readonly stream: Terminal['stdout']
  private pending: string[] = []
  private pendingLength = 0
  private closed = false
  private failure: Error | undefined

  constructor(terminal: Terminal, color: ColorChoice, onClosed: () => void) {
    this.stream = terminal.stdout
    this.isTerminal = terminal.stdout.isTTY === true
    this.columns = this.isTerminal ? (terminal.stdout.columns ?? 80) : undefined
    this.color = color === 'always' || (color === 'auto' && this.isTerminal && !terminal.env.NO_COLOR)
    this.stream.on('error', (error: NodeJS.ErrnoException) => {
      this.closed = true
      if (isPipeClosed(error)) onClosed()
      else this.failure = error
    })
  }

  /** Takes text; resolves when there is room for more. */
  async write(text: string): Promise<void> {
    this.pending.push(text)
    this.pendingLength += text.length
    if (this.pendingLength >= PIECE_CHARACTERS) await this.flush()
  }

  async line(text: string): Promise<void> {
    await this.write(`${text}\n`)
  }

  /** Bytes as they are, behind the text taken so far. */
  async bytes(bytes: Uint8Array): Promise<void> {
    await this.flush()
    await this.send(bytes)
  }

  /** Resolves when everything was handed to the reader. */
  async flush(): Promise<void> {
    const text = this.pending.join('')
    this.pending = []
    this.pendingLength = 0
    if (text !== '') await this.send(text)
  }

  private send(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.closed) return this.failure === undefined ? resolve() : reject(notWritable(this.failure))
      this.stream.write(data, (error) => (error && !isPipeClosed(error) ? reject(notWritable(error)) : resolve()))
    })
  }
}

function isPipeClosed(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED'
}

function notWritable(cause: Error) {
  return deltaError('LAKE_FILE_NOT_WRITABLE', { file: 'the output', cause: causeText(cause) }, { cause })
}

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

/** Text in a style where colours are on. */
export function styled(text: string, style: keyof typeof STYLES, color: boolean): string {
  return color ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text
}
