/** What a command of `bayou` is: how its line reads, and what it does. */
import type { Command } from 'commander'
import type { Session } from '../session/index.ts'
import type { DeltaTable } from '../table/index.ts'
import type { GlobalOptions } from './globals.ts'
import type { Output } from './output/output.ts'
import type { ProgressLine } from './output/progress.ts'
import type { Terminal } from './terminal.ts'

/** Everything a command works with; what costs time to open is opened when it is asked for. */
export interface CliContext {
  readonly globals: GlobalOptions
  /** all commands there are */
  readonly commands: readonly CommandEntry[]
  readonly terminal: Terminal
  /** results */
  readonly output: Output
  /** what a person is told beside them, on standard error; nothing with `--quiet` */
  note(text: string): void
  progress(title: string): ProgressLine
  /** aborted by Ctrl-C and by a reader that went away */
  readonly signal: AbortSignal
  session(): Promise<Session>
  table(location: string): Promise<DeltaTable>
}

export interface CliCommand<Options = object> {
  /** true: an interrupt is the ordinary way to end it, and its own status counts */
  readonly runsUntilInterrupted?: boolean
  /** adds arguments, options and examples; global options are there already */
  define(command: Command): void
  /**
   * @param args the positional arguments in the order of `define`
   * @returns the exit status where it is not 0
   */
  run(args: readonly unknown[], options: Options, context: CliContext): Promise<number | undefined>
}

/** A line of the list of commands; the module is imported only when the command is called. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  load(): Promise<CliCommand<never>>
}
