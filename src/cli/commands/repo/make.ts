/** `repo init`, `publish`, `backfill`, `formats`, `tag`: what changes a repository. */
import {
  backfill,
  type CatalogFormat,
  initRepository,
  publish,
  setFormat,
  tagVersion,
  unsetFormat,
  WRITE_FORMATS,
  type WriteFormat,
} from '../../../ducklake/index.ts'
import { deltaError } from '../../../errors/index.ts'
import { formatBytes, plural } from '../../output/sizes.ts'
import { printTable } from '../../output/text-table.ts'
import { publishSource } from './publish-source.ts'
import {
  clockOf,
  openRepository,
  openStoreOf,
  printJsonLine,
  type RepoVerb,
  readingOptions,
  required,
} from './repo-verb.ts'

export const init: RepoVerb = async ({ args, options, context }) => {
  const store = await (await openStoreOf(context))(required(args[0], 'a place for the repository'))
  const repository = await initRepository(store, {
    ...(options.format && { formats: options.format.map(parseFormat) }),
    ...(options.branch !== undefined && { branch: options.branch }),
  })
  const formats = repository.config.formats ?? []
  if (context.globals.json) await printJsonLine(context, { root: repository.root, catalog_formats: formats })
  else
    await context.output.line(
      `${repository.root} publishes ${formats.map(formatText).join(', ') || 'one catalog a version'}`,
    )
  return 0
}

/** `1.0`, or `1.0:2027-03-31` */
function parseFormat(text: string): CatalogFormat {
  const [ducklake, until] = text.split(':') as [string, string | undefined]
  if (until !== undefined && !/^\d{4}-\d\d-\d\d$/.test(until)) {
    throw deltaError('LAKE_USAGE', { problem: `${until} is no day`, advice: 'write --format 1.0:2027-03-31' })
  }
  return { ducklake, ...(until !== undefined && { until }) }
}

function formatText({ ducklake, until }: CatalogFormat): string {
  return until === undefined ? ducklake : `${ducklake} until ${until}`
}

export const publishVerb: RepoVerb = async (call) => {
  const { options, context } = call
  const repository = await openRepository(call)
  const result = await publish(repository, {
    source: await publishSource(call),
    ...(await readingOptions(context)),
    ...clockOf(context),
    ...(options.branch !== undefined && { branch: options.branch }),
    ...(options.author !== undefined && { author: options.author }),
    ...(options.message !== undefined && { message: options.message }),
    onNote: (text) => context.note(text),
  })
  if (context.globals.json)
    await printJsonLine(context, { ...result, id: result.id ?? null, parent: result.parent ?? null, tables: undefined })
  else if (result.id === undefined) await context.output.line(`nothing to publish: ${result.parent} says the same`)
  else {
    const added = `${plural(result.newFiles, 'new file')}, ${formatBytes(result.newBytes)}`
    await context.output.line(`${result.id} on ${result.ref}: DuckLake ${result.formats.join(', ')}; ${added}`)
  }
  return 0
}

export const backfillVerb: RepoVerb = async (call) => {
  const { args, options, context } = call
  const repository = await openRepository(call)
  const format = parseWriteFormat(required(options.format?.[0], '--format'))
  const reading = await readingOptions(context)
  const refs = options.all ? [] : [args[1] ?? options.ref]
  if (options.all)
    for await (const version of repository.history(await repository.resolve(args[1] ?? options.ref)))
      if (version.withdrawn === undefined) refs.push(version.id)
  let failed = 0
  for (const ref of refs) {
    try {
      const { id, outcome } = await backfill(repository, ref, format, reading)
      if (context.globals.json) await printJsonLine(context, { version: id, ducklake: format, outcome })
      else
        await context.output.line(`${id}: DuckLake ${format} ${outcome === 'there' ? 'is there already' : 'written'}`)
    } catch (error) {
      if (!options.all) throw error
      failed++
      context.note(`${ref}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return failed === 0 ? 0 : 1
}

export function parseWriteFormat(text: string): WriteFormat {
  const known = WRITE_FORMATS.find((format) => format === text)
  if (known !== undefined) return known
  throw deltaError('LAKE_USAGE', {
    problem: `DuckLake ${text} is not written`,
    advice: `the formats are ${WRITE_FORMATS.join(' and ')}`,
  })
}

const FORMAT_ACTIONS = ['list', 'set', 'unset']

/** The action may stand before the repository or behind it. */
export const formats: RepoVerb = async (call) => {
  const action = call.args.find((arg, i) => i < 2 && FORMAT_ACTIONS.includes(arg)) ?? 'list'
  const args = call.args.filter((arg) => arg !== action)
  let repository = await openRepository({ ...call, args })
  if (action === 'set') {
    const { until } = call.options
    const [ducklake, inText] = required(args[1], 'a format').split(':') as [string, string | undefined]
    const day = until ?? inText
    repository = await setFormat(repository, parseFormat(day === undefined ? ducklake : `${ducklake}:${day}`))
  } else if (action === 'unset') repository = await unsetFormat(repository, required(args[1], 'a format'))
  const list = repository.config.formats ?? []
  if (call.context.globals.json) await printJsonLine(call.context, list)
  else {
    const columns = [{ name: 'ducklake' }, { name: 'until' }]
    await printTable(
      call.context.output,
      columns,
      list.map(({ ducklake, until }) => [ducklake, until ?? '']),
    )
  }
  return 0
}

export const tag: RepoVerb = async (call) => {
  const { args, options, context } = call
  const repository = await openRepository(call)
  const name = required(args[1], 'a name for the tag')
  const ref = args[2] ?? options.ref
  const id = await tagVersion(repository, name, {
    ...(ref !== undefined && { ref }),
    ...(options.force && { force: true }),
  })
  if (context.globals.json) await printJsonLine(context, { tag: name, version: id })
  else await context.output.line(`${name} names ${id}`)
  return 0
}
