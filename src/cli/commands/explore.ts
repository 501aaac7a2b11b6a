/** `bayou explore`: serves the page that shows tables, on this machine only. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Command, InvalidArgumentError } from 'commander'
import { isDeltaTable } from '../../kernel/index.ts'
import type { ObjectStore } from '../../storage/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { type ExploredTable, statementName } from '../explore/explored-table.ts'
import { findTables } from '../explore/find-tables.ts'
import type { ExploredRepository } from '../explore/repository-routes.ts'
import type { RunStatement } from '../explore/statement-route.ts'
import { duckDbOptions, parsePort } from '../globals.ts'

interface ExploreOptions {
  readonly port: number
  readonly open?: boolean
  readonly worker?: string
}

const DEFAULT_PORT = 4600

const EXAMPLES = `
Examples:
  $ bayou explore /lake/orders --open
  $ bayou explore /lake              every table below the folder
  $ bayou explore https://data.example.com/orders
  $ bayou explore /srv/lake          the versions of a frozen DuckLake repository
  $ bayou explore --worker http://127.0.0.1:9090`

export const explore: CliCommand<ExploreOptions> = {
  define(command: Command) {
    command
      .argument('[place]', 'a table, a folder with tables below it, or a repository; the folder one is in when absent')
      .option('--port <n>', 'where to listen; 0 takes any free port', parsePort, DEFAULT_PORT)
      .option('--open', 'open the page in the browser')
      .option('--worker <url>', 'show the worker that serves /status at this address', parseWorkerUrl)
      .addHelpText('after', EXAMPLES)
  },

  async run([given], { port, open, worker }, context) {
    const place = given === undefined && worker === undefined ? '.' : given
    const shown = place === undefined ? { tables: [] } : await shownAt(String(place), context)
    const { startExploreServer } = await import('../explore/server.ts')
    const { tables, repository } = shown
    const server = await startExploreServer(tables, {
      port,
      ...(tables.length > 0 && { runStatement: await statementsOver(tables, context) }),
      ...(repository !== undefined && { repository }),
      ...(worker !== undefined && { worker }),
    })
    if (context.globals.json) await context.output.line(JSON.stringify({ url: server.url, tables: tables.length }))
    else
      await context.output.line(
        `${server.url} shows ${tables.length > 1 ? `${tables.length} tables` : (place ?? worker)}; Ctrl-C ends it`,
      )
    await context.output.flush()
    if (open === true) openInBrowser(server.url, context)
    if (!context.signal.aborted) await once(context.signal, 'abort')
    await server.close()
    return 0
  },
}

interface Shown {
  readonly tables: readonly ExploredTable[]
  readonly repository?: ExploredRepository
}

async function shownAt(place: string, context: CliContext): Promise<Shown> {
  const { openStore } = await context.session()
  const store = await openStore(place)
  if (await isDeltaTable(store)) return { tables: [{ name: '.', store }] }
  if (await isRepository(store)) {
    return { tables: [], repository: { store, opening: { openStore, engine: duckDbOptions(context.globals) } } }
  }
  if (store.localPath === undefined) return { tables: [{ name: '.', store }] }
  const found = await findTables(store.location)
  return { tables: await Promise.all(found.map(async ({ name, path }) => ({ name, store: await openStore(path) }))) }
}

/** Where this cannot be asked, what goes on to ask for a table says why. */
async function isRepository(store: ObjectStore): Promise<boolean> {
  return await store.head('fdl.json').then(
    () => true,
    () => false,
  )
}

/** @throws InvalidArgumentError for what is no http(s) address */
function parseWorkerUrl(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text
  throw new InvalidArgumentError('It is no address like http://127.0.0.1:9090.')
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
