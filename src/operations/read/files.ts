/** The live files of a table, and why a predicate reads or skips each. */
import { type AddFile, explainFile, type FileBatch, type SkippingRule, skippingRule } from '../../kernel/index.ts'
import type { FilesCommand, FilesResult, ListedFile } from '../command.ts'
import type { OperationContext } from '../context.ts'
import { bindRead } from './bind-read.ts'

/**
 * The live files a predicate keeps, or all of them with its verdict, read from the index page by page.
 *
 * @throws a code of the expression language, what loading a snapshot throws
 */
export async function executeFiles(command: FilesCommand, context: OperationContext): Promise<FilesResult> {
  const { at, where, explain = false } = command
  return await context.withSnapshot(at, async (snapshot) => {
    const { layout, filter } = bindRead({ where }, snapshot.layout)
    const rule = filter && skippingRule(filter, layout)
    const { version } = snapshot
    return {
      version,
      files: () => listFiles(context, { version }, { rule, explain }),
      batches: () => listBatches(context, { version }, rule),
      find: (path) => context.withSnapshot({ version }, ({ files }) => files.find(path)),
    }
  })
}

/** The list may outlive the call that planned it, so it is read under a lease of its own. */
async function* listFiles(
  context: OperationContext,
  at: { version: number },
  { rule, explain }: { readonly rule: SkippingRule | undefined; readonly explain: boolean },
): AsyncGenerator<ListedFile> {
  const { signal } = context.options
  const { snapshot, release } = await context.leaseSnapshot(at)
  try {
    for await (const page of snapshot.files.select(explain ? undefined : rule, signal ? { signal } : {})) {
      for (const file of page) {
        const listed = listedFile(file, rule)
        if (listed.read || explain) yield listed
      }
    }
  } finally {
    await release()
  }
}

async function* listBatches(
  context: OperationContext,
  at: { version: number },
  rule: SkippingRule | undefined,
): AsyncGenerator<FileBatch> {
  const { signal } = context.options
  const { snapshot, release } = await context.leaseSnapshot(at)
  try {
    yield* snapshot.files.list(rule, signal ? { signal } : {})
  } finally {
    await release()
  }
}

function listedFile(file: AddFile, rule: SkippingRule | undefined): ListedFile {
  if (rule === undefined) return { file, read: true }
  const { kept, reason } = explainFile(rule, file)
  return { file, read: kept, reason }
}
