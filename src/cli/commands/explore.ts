/** `bayou explore`: serves the page that shows tables, on this machine only. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Command } from 'commander'
import { isDeltaTable } from '../../kernel/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { type ExploredTable, statementName } from '../explore/explored-table.ts'
import { findTables } from '../explore/find-tables.ts'
import type { RunStatement } from '../explore/statement-route.ts'
import { parsePort } from '../globals.ts'

interface ExploreOptions {
  readonly port: number
  readonly open?: boolean
}

const DEFAULT_PORT = 4600

const EXAMPLES = `
Examples:
  $ bayou explore /lake/orders --open
  $ bayou explore /lake              every table below the folder
  $ bayou explore https://data.example.com/orders`

export const explore: CliCommand<ExploreOptions> = {
  define(command: Command) {
    command
      .argument('[place]', 'a table, or a folder with tables below it', '.')
      .option('--port <n>', 'where to listen; 0 takes any free port', parsePort, DEFAULT_PORT)
      .option('--open', 'open the page in the browser')
      .addHelpText('after', EXAMPLES)
  },

  async run([place], options, context) {
    const tables = await tablesAt(String(place), context)
    const { startExploreServer } = await import('../explore/server.ts')
    const runStatement = await statementsOver(tables, context)
    const server = await startExploreServer(tables, { port: options.port, runStatement })
    if (context.globals.json) await context.output.line(JSON.stringify({ url: server.url, tables: tables.length }))
    else
      await context.output.line(
        `${server.url} shows ${tables.length === 1 ? place : `${tables.length} tables`}; Ctrl-C ends it`,
      )
    await context.output.flush()
    if (options.open === true) openInBrowser(server.url, context)
    if (!context.signal.aborted) await once(context.signal, 'abort')
    await server.close()
    return 0
  },
}

async function tablesAt(place: string, context: CliContext): Promise<readonly ExploredTable[]> {
  const { openStore } = await context.session()
  const store = await openStore(place)
  if (store.localPath === undefined || (await isDeltaTable(store))) return [{ name: '.', store }]
  const found = await findTables(store.location)
  return await Promise.all(found.map(async ({ name, path }) => ({ name, store: await openStore(path) })))
}

/** Tables go by their names in statements, with `_` for what a name cannot hold. */
async function statementsOver(tables: readonly ExploredTable[], context: CliContext): Promise<RunStatement> {
  const { SqlSession } = await import('../../sql/index.ts')
  const { readingStatements } = await import('../explore/statement-route.ts')
  const { engine, backend, openStore } = await context.session()
  const names = tables.map(({ name, store }): [string, string] => [statementName(name, store.location), store.location])
  return readingStatements(new SqlSession({ engine, backend, openStore, tables: new Map(names) }))
}

function openInBrowser(url: string, context: CliContext): void {
  const [program, ...args] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open']
  const child = spawn(program ?? '', [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => context.note(`no browser could be started; open ${url} yourself`))
  child.unref()
}
