/** `repo log`, `show`, `open`, `query`, `verify`, `url`: what looks at a repository. */
import {
  attachLines,
  describeOffer,
  openVersion,
  queryLake,
  type Repository,
  type VersionRecord,
  verify,
} from '../../../ducklake/index.ts'
import { showRows } from '../../output/print-rows.ts'
import { plural } from '../../output/sizes.ts'
import { printFacts, printTable } from '../../output/text-table.ts'
import {
  openRepository,
  openStoreOf,
  printJsonLine,
  type RepoCall,
  type RepoVerb,
  readingOptions,
  required,
} from './repo-verb.ts'

/** The version of the ref that stands behind the repository, or in `--ref`; HEAD's without. */
async function chosen(repository: Repository, { args, options }: RepoCall, place = 1): Promise<VersionRecord> {
  const ref = args[place] ?? options.ref
  return await repository.version(await repository.resolve(ref), ref ?? 'HEAD')
}

export const log: RepoVerb = async (call) => {
  const { options, context } = call
  const repository = await openRepository(call)
  const names = new Map<string, string[]>()
  for (const { key, id } of repository.store.capabilities.list ? await repository.refs() : []) {
    names.set(id, [...(names.get(id) ?? []), key.replace(/^refs\/(?:heads|tags)\//, '')])
  }
  const versions: VersionRecord[] = []
  const ref = call.args[1] ?? options.ref
  const start = await repository.resolve(ref)
  for await (const version of repository.history(start)) {
    versions.push(version)
    if (versions.length === options.limit) break
  }
  if (context.globals.json)
    for (const version of versions)
      await printJsonLine(context, { ...plain(version), refs: names.get(version.id) ?? [] })
  else {
    const columns = ['version', 'created', 'author', 'message', 'ducklake', 'refs'].map((name) => ({ name }))
    const cells = versions.map((version) => [
      version.id,
      version.createdAt,
      version.author,
      version.withdrawn === undefined ? version.message : `(withdrawn) ${version.message}`,
      formatsOf(version).join(', '),
      (names.get(version.id) ?? []).join(', '),
    ])
    await printTable(context.output, columns, cells)
  }
  return 0
}

/** version.json as it stands. */
function plain(version: VersionRecord): object {
  return JSON.parse(
    JSON.stringify(version.json, (_, value: unknown) => (isNumber(value) ? Number(value.text) : value)),
  ) as object
}

function isNumber(value: unknown): value is { readonly text: string } {
  return typeof value === 'object' && value !== null && value.constructor?.name === 'JsonNumber'
}

function formatsOf(version: VersionRecord): string[] {
  return [...new Set([version.main, ...(version.catalogs ?? [])].map(({ ducklake }) => ducklake))]
}

export const show: RepoVerb = async (call) => {
  const { context } = call
  const repository = await openRepository(call)
  const version = await chosen(repository, call)
  if (context.globals.json) await printJsonLine(context, plain(version))
  else {
    const files = await repository.files(version.id)
    await printFacts(context.output, [
      ['version', version.id],
      ['parents', version.parents.join(', ') || 'none'],
      ['author', version.author],
      ['message', version.message],
      ['created', version.createdAt],
      ['offers', describeOffer(version)],
      ...version.skipped.map(({ ducklake, reason }) => [`no ${ducklake}`, reason] as const),
      ...(version.withdrawn === undefined ? [] : [['withdrawn', version.withdrawn.at] as const]),
      ['files', files === undefined ? 'not listed' : String(files.length)],
    ])
  }
  return 0
}

export const open: RepoVerb = async (call) => {
  const { context } = call
  const repository = await openRepository(call)
  const version = await chosen(repository, call)
  const opened = await openVersion(repository, version, await readingOptions(context))
  try {
    const snapshot = await opened.lake.snapshot()
    const tables = []
    for (const { name } of await snapshot.tables()) {
      const table = await snapshot.table(name)
      tables.push({ name, columns: table.columns.length, rows: await opened.lake.scan(snapshot, table).count() })
    }
    const { path, ducklake, storage } = opened.record
    if (context.globals.json)
      await printJsonLine(context, {
        version: version.id,
        catalog: path,
        ducklake,
        storage,
        snapshot: snapshot.id,
        tables,
      })
    else {
      context.note(`${version.id}: ${path}, DuckLake ${ducklake}, snapshot ${snapshot.id}`)
      const columns = [
        { name: 'table' },
        { name: 'columns', align: 'right' as const },
        { name: 'rows', align: 'right' as const },
      ]
      await printTable(
        context.output,
        columns,
        tables.map(({ name, columns: count, rows }) => [name, String(count), String(rows)]),
      )
    }
    return 0
  } finally {
    await opened.close()
  }
}

export const query: RepoVerb = async (call) => {
  const { args, options, context } = call
  const repository = await openRepository(call)
  const version = await repository.version(await repository.resolve(options.ref), options.ref ?? 'HEAD')
  const opened = await openVersion(repository, version, await readingOptions(context))
  try {
    const result = await queryLake(
      opened.lake,
      await opened.lake.snapshot(),
      required(args[1], 'a query'),
      context.signal,
    )
    await showRows({ open: async () => result }, context.globals.json ? 'ndjson' : 'table', context)
    return 0
  } finally {
    await opened.close()
  }
}

export const verifyVerb: RepoVerb = async (call) => {
  const { args, options, context } = call
  const repository = await openRepository(call)
  const ref = args[1] ?? options.ref
  const report = await verify(repository, {
    ...(await readingOptions(context)),
    ...(ref !== undefined && { ref }),
    ...(options.all && { all: true }),
    ...(options.rows && { rows: true }),
  })
  if (context.globals.json) await printJsonLine(context, { ok: report.findings.length === 0, ...report })
  else {
    for (const { object, problem } of report.findings) await context.output.line(`${object}: ${problem}`)
    const looked = `${plural(report.versions.length, 'version')}, ${plural(report.catalogs, 'catalog')}, ${plural(report.files, 'file')}`
    await context.output.line(
      report.findings.length === 0 ? `sound: ${looked}` : `${plural(report.findings.length, 'fault')} in ${looked}`,
    )
  }
  return report.findings.length === 0 ? 0 : 1
}

export const url: RepoVerb = async (call) => {
  const { args, options, context } = call
  const repository = await openRepository(call)
  const version = await chosen(repository, call)
  const store = await (await openStoreOf(context))(required(args[0], 'a repository'))
  const lines = attachLines(version, options.base ?? store.location)
  if (context.globals.json)
    for (const line of lines)
      await printJsonLine(context, {
        ...line,
        sql: line.sql ?? null,
        url: line.url ?? null,
        ducklake: line.ducklake ?? null,
      })
  else {
    for (const { reader, sql } of lines) {
      await context.output.line(
        sql === undefined
          ? `-- ${reader} opens none of this version: ${describeOffer(version)}`
          : `-- ${reader}\n${sql};`,
      )
    }
  }
  return 0
}
