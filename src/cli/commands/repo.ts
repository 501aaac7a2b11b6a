/** `bayou repo`: the frozen DuckLake repository, one verb for each thing done with it. */
import type { Command } from 'commander'
import { deltaError } from '../../errors/index.ts'
import type { CliCommand } from '../cli-command.ts'
import { parsePort, parsePositiveInteger, parseWholeNumber } from '../globals.ts'
import type { RepoOptions, RepoVerb } from './repo/repo-verb.ts'

const make = () => import('./repo/make.ts')
const look = () => import('./repo/look.ts')
const copy = () => import('./repo/copy.ts')

const VERBS: Readonly<Record<string, () => Promise<RepoVerb>>> = {
  init: async () => (await make()).init,
  publish: async () => (await make()).publishVerb,
  clone: async () => (await copy()).clone,
  checkout: async () => (await copy()).clone,
  log: async () => (await look()).log,
  show: async () => (await look()).show,
  open: async () => (await look()).open,
  query: async () => (await look()).query,
  verify: async () => (await look()).verifyVerb,
  pull: async () => (await copy()).pullVerb,
  formats: async () => (await make()).formats,
  backfill: async () => (await make()).backfillVerb,
  tag: async () => (await make()).tag,
  withdraw: async () => (await copy()).withdrawVerb,
  gc: async () => (await copy()).gc,
  url: async () => (await look()).url,
  attach: async () => (await look()).url,
  serve: async () => (await copy()).serve,
}

const HELP = `
Verbs:
  init REPO                      --format 1.1 --format 1.0:2027-03-31, --branch
  publish REPO SOURCE            a DuckLake catalog, a Delta table or a folder of Parquet files;
                                 --query SQL, --as schema.table, -m, --author, --branch, --data-path
  clone REPO FILE [REF]          a working catalog that DuckDB's extension writes (also checkout); --format
  log REPO [REF]                 versions, newest first; --limit
  show REPO [REF]                what a version says of itself
  open REPO [REF]                the catalog this reader takes, and its tables
  query REPO SQL                 --ref
  verify REPO [REF]              --all versions, --rows of every snapshot through every catalog
  pull REPO TARGET [REF]         a copy, only what is missing; --branch
  formats list|set|unset REPO    set REPO 1.0 --until 2027-03-31
  backfill REPO [REF]            --format 1.0; --all versions of the branch
  tag REPO NAME [REF]            --force moves it
  withdraw REPO REF              prints the plan; --yes does it; --reason
  gc REPO                        prints the plan; --yes does it; --grace-hours
  url REPO [REF]                 the ATTACH for each DuckDB (also attach); --base URL
  serve REPO                     over HTTP; --port, --host

Examples:
  $ bayou repo init /srv/lake
  $ bayou repo publish /srv/lake work/lake.sqlite --data-path /srv/lake/data -m "nightly load"
  $ bayou repo query /srv/lake "select count(*) from main.orders"
  $ bayou rows ducklake:/srv/lake@main#main.orders`

export const repo: CliCommand<RepoOptions> = {
  define(command: Command) {
    command
      .argument('<verb>', Object.keys(VERBS).join(', '))
      .argument('[arguments...]', 'the repository first, as the list of verbs shows')
      .option('--format <format>', 'a DuckLake format; may be given again', (text: string, before: string[] = []) => [
        ...before,
        text,
      ])
      .option('--until <day>', 'the last day a format is published, UTC')
      .option('--branch <name>', 'the branch; the one HEAD names when absent')
      .option('--ref <ref>', 'a branch, a tag, a version or the beginning of its id')
      .option('--author <text>', 'who publishes')
      .option('-m, --message <text>', 'what changed')
      .option('--data-path <dir>', 'where the files of a catalog lie, instead of where it says')
      .option('--as <schema.table>', 'the table a source becomes')
      .option('--query <sql>', 'publish the rows of a SELECT of DuckDB, as the table of --as')
      .option('--all', 'every version')
      .option('--rows', 'compare rows too')
      .option('--force', 'move a tag that names another version')
      .option('--yes', 'do what the plan says')
      .option('--reason <text>', 'why a version is withdrawn')
      .option('--grace-hours <n>', 'what is younger is never garbage; 24 when absent', parseWholeNumber)
      .option('--base <url>', 'the address others reach the repository by')
      .option('--host <host>', 'where to listen; 127.0.0.1 when absent')
      .option('--port <n>', 'where to listen; any free port when absent', parsePort)
      .option('--limit <n>', 'the newest so many versions', parsePositiveInteger)
      .addHelpText('after', HELP)
  },

  async run([verb, args], options, context) {
    const load = Object.hasOwn(VERBS, String(verb)) ? VERBS[String(verb)] : undefined
    if (load === undefined) {
      const advice = `the verbs are ${Object.keys(VERBS).join(', ')}`
      throw deltaError('LAKE_USAGE', { problem: `${String(verb)} is no verb of bayou repo`, advice })
    }
    const work = await load()
    return await work({ args: (args as readonly string[] | undefined) ?? [], options, context })
  },
}
