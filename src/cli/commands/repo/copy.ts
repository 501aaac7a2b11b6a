/** `repo clone`, `pull`, `withdraw`, `gc`, `serve`: copies of a repository, and what leaves it. */
import { once } from 'node:events'
import { cloneVersion, collectGarbage, pull, type Removal, serveRepository, withdraw } from '../../../ducklake/index.ts'
import { deltaError } from '../../../errors/index.ts'
import type { CliContext } from '../../cli-command.ts'
import { formatBytes, plural } from '../../output/sizes.ts'
import { parseWriteFormat } from './make.ts'
import {
  clockOf,
  openRepository,
  openStoreOf,
  printJsonLine,
  type RepoVerb,
  readingOptions,
  required,
} from './repo-verb.ts'

export const clone: RepoVerb = async (call) => {
  const { args, options, context } = call
  const repository = await openRepository(call)
  const path = required(args[1], 'a file for the working catalog')
  const ref = args[2] ?? options.ref
  const { id, attach } = await cloneVersion(repository, {
    ...(await readingOptions(context)),
    path,
    ...(ref !== undefined && { ref }),
    ...(options.format?.[0] !== undefined && { format: parseWriteFormat(options.format[0]) }),
  })
  if (context.globals.json) await printJsonLine(context, { version: id, catalog: path, attach })
  else await context.output.line(`${attach};`)
  context.note(`${path} is a working catalog of ${id}`)
  return 0
}

export const pullVerb: RepoVerb = async (call) => {
  const { args, options, context } = call
  const repository = await openRepository(call)
  const target = await (await openStoreOf(context))(required(args[1], 'a place for the copy'))
  const ref = args[2] ?? options.ref
  const result = await pull(repository, target, {
    ...(ref !== undefined && { ref }),
    ...(options.branch !== undefined && { branch: options.branch }),
  })
  if (context.globals.json) await printJsonLine(context, result)
  else
    await context.output.line(
      `${result.id} on ${result.ref}: ${plural(result.files, 'object')}, ${formatBytes(result.bytes)} copied`,
    )
  return 0
}

export const withdrawVerb: RepoVerb = async (call) => {
  const { args, options, context } = call
  const repository = await openRepository(call)
  const execute = options.yes === true
  const removal = await withdraw(repository, required(args[1], 'a version'), {
    execute,
    ...clockOf(context),
    ...(options.reason !== undefined && { reason: options.reason }),
  })
  await printRemoval(removal, execute, context)
  return 0
}

export const gc: RepoVerb = async (call) => {
  const { options, context } = call
  const repository = await openRepository(call)
  const execute = options.yes === true
  const removal = await collectGarbage(repository, {
    execute,
    ...clockOf(context),
    ...(options.graceHours !== undefined && { graceHours: options.graceHours }),
  })
  await printRemoval(removal, execute, context)
  return 0
}

async function printRemoval(removal: Removal, executed: boolean, context: CliContext): Promise<void> {
  const bytes = removal.objects.reduce((sum, object) => sum + object.bytes, 0)
  if (context.globals.json) return await printJsonLine(context, { executed, ...removal, bytes })
  for (const id of removal.versions) await context.output.line(`version ${id}`)
  for (const key of removal.tags) await context.output.line(key)
  for (const { key } of removal.objects) await context.output.line(key)
  const what = `${plural(removal.versions.length, 'version')}, ${plural(removal.objects.length, 'object')}, ${formatBytes(bytes)}`
  context.note(executed ? `${what} removed` : `${what} would be removed; --yes does it`)
}

export const serve: RepoVerb = async (call) => {
  const { options, context } = call
  const repository = await openRepository(call)
  const server = await serveRepository(repository.store, {
    ...(options.host !== undefined && { host: options.host }),
    port: options.port ?? 0,
  }).catch((cause: unknown) => {
    if ((cause as { code?: unknown }).code !== 'EADDRINUSE') throw cause
    throw deltaError('LAKE_PORT_IN_USE', { port: options.port, host: options.host ?? '127.0.0.1' }, { cause })
  })
  if (context.globals.json) await printJsonLine(context, { url: server.url })
  else await context.output.line(`${server.url} serves ${repository.root}; Ctrl-C ends it`)
  await context.output.flush()
  if (!context.signal.aborted) await once(context.signal, 'abort')
  await server.close()
  return 0
}
