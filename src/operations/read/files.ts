/** The live files of a table, and why a predicate reads or skips each. */
import { type AddFile, explainFile, type SkippingRule, skippingRule } from '../../kernel/index.ts'
import type { FilesCommand, FilesResult, ListedFile } from '../command.ts'
import type { OperationContext } from '../context.ts'
import { bindRead } from './bind-read.ts'

/**
 * Every live file comes, with the verdict of the predicate, read from the index page by page.
 *
 * @throws a code of the expression language, what loading a snapshot throws
 */
export async function executeFiles(command: FilesCommand, context: OperationContext): Promise<FilesResult> {
  const { at, where } = command
  return await context.withSnapshot(at, async (snapshot) => {
    const { layout, filter } = bindRead({ where }, snapshot.layout)
    const rule = filter && skippingRule(filter, layout)
    const { version, numFiles } = snapshot.files
    return { version, numFiles, files: () => listFiles(context, { version }, rule) }
  })
}

/** The list may outlive the call that planned it, so it is read under a lease of its own. */
async function* listFiles(
  context: OperationContext,
  at: { version: number },
  rule: SkippingRule | undefined,
): AsyncGenerator<ListedFile> {
  const { signal } = context.options
  const { snapshot, release } = await context.leaseSnapshot(at)
  try {
    for await (const page of snapshot.files.select(undefined, signal ? { signal } : {})) {
      for (const file of page) yield listedFile(file, rule)
    }
  } finally {
    await release()
  }
}

function listedFile(file: AddFile, rule: SkippingRule | undefined): ListedFile {
  if (rule === undefined) return { file, read: true }
  const { kept, reason } = explainFile(rule, file)
  return { file, read: kept, reason }
}
