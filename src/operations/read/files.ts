/** The live files of a table, and why a predicate reads or skips each. */
import { explainFile, skippingRule } from '../../kernel/index.ts'
import type { FilesCommand, FilesResult, ListedFile } from '../command.ts'
import type { OperationContext } from '../context.ts'
import { bindWhere } from './predicate.ts'

/**
 * Lists files in pages of the index; every live file comes, with the verdict of the predicate.
 *
 * @throws a code of the expression language, what loading a snapshot throws
 */
export async function executeFiles(command: FilesCommand, context: OperationContext): Promise<FilesResult> {
  const { at, where } = command
  return await context.withSnapshot(at, async (snapshot) => {
    const rule = where === undefined ? undefined : skippingRule(bindWhere(where, snapshot.schema), snapshot.layout)
    const { version, numFiles } = snapshot.files
    const pinned = { version }
    return {
      version,
      numFiles,
      files: () => listFiles(context, pinned, rule),
    }
  })
}

/** The list is read under a lease of its own, for it may outlive the call that planned it. */
async function* listFiles(
  context: OperationContext,
  at: { version: number },
  rule: ReturnType<typeof skippingRule> | undefined,
): AsyncGenerator<ListedFile> {
  const pages = await context.withSnapshot(at, async (snapshot) => {
    const { signal } = context.options
    const listed: ListedFile[] = []
    for await (const page of snapshot.files.select(undefined, signal ? { signal } : {})) {
      for (const file of page) {
        if (rule === undefined) listed.push({ file, read: true })
        else {
          const { kept, reason } = explainFile(rule, file)
          listed.push({ file, read: kept, reason })
        }
      }
    }
    return listed
  })
  yield* pages
}
