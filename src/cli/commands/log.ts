/** `bayou log`: a line a commit with the files it added and removed, or the actions of one commit. */
import type { Command } from 'commander'
import { printAction } from '../../kernel/index.ts'
import type { CommitRecord, DeltaTable } from '../../table/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { parsePositiveInteger, parseWholeNumber } from '../globals.ts'
import { type Output, styled } from '../output/output.ts'
import { printable } from '../output/text-width.ts'
import { addTableArgument } from '../read-options.ts'

interface LogOptions {
  readonly version?: number
  readonly limit?: number
}

const EXAMPLES = `
Examples:
  $ bayou log /lake/orders
  $ bayou log /lake/orders --version 3 | jq .add.path`

/** names of files a line shows of each kind */
const SHOWN_FILES = 3

export const log: CliCommand<LogOptions> = {
  define(command: Command) {
    addTableArgument(command)
    command
      .option('--version <n>', 'print the actions of this commit, one JSON object a line', parseWholeNumber)
      .option('--limit <n>', 'the newest so many commits', parsePositiveInteger)
      .addHelpText('after', EXAMPLES)
  },

  async run([location], { version, limit }, context) {
    const table = await context.table(String(location))
    const { output, signal } = context
    if (version !== undefined) {
      const { actions } = await table.commit(version, { signal })
      for (const action of actions) await output.line(printAction(action))
      return 0
    }
    let count = 0
    for await (const commit of table.log({ ...(limit !== undefined && { limit }), signal })) {
      count++
      if (context.globals.json) await output.line(JSON.stringify(commit))
      else await printCommit(commit, output)
    }
    if (count === 0) await noteOfNoCommit(table, context)
    return 0
  },
}

/** Why there is nothing to show: commits were removed, and a checkpoint stands in for them. */
export async function noteOfNoCommit(table: DeltaTable, context: CliContext): Promise<void> {
  const version = await table.version()
  context.note(`the log holds no commit, only the checkpoint of version ${version}`)
}

async function printCommit(commit: CommitRecord, output: Output): Promise<void> {
  const parts = [
    styled(`v${commit.version}`, 'bold', output.color),
    printable(commit.operation ?? '-'),
    ...fileNames('+', commit.added).map((name) => styled(name, 'green', output.color)),
    ...fileNames('-', commit.removed).map((name) => styled(name, 'red', output.color)),
    ...commit.others.filter((kind) => kind === 'metaData' || kind === 'protocol').map((kind) => `(${kind})`),
  ]
  await output.line(parts.join('  '))
}

function fileNames(sign: string, paths: readonly string[]): string[] {
  const names = paths.slice(0, SHOWN_FILES).map((path) => sign + printable(path))
  const more = paths.length - names.length
  return more > 0 ? [...names, `${sign}${more} more`] : names
}
