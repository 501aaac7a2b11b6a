/** `bayou check-store`: proves that a store keeps the promises a log needs. */
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { causeText, deltaError, isDeltaError } from '../../errors/index.ts'
import { type ContractCase, objectStoreContract } from '../../storage/contract/index.ts'
import type { ObjectStore, StoreCapabilities } from '../../storage/index.ts'
import { throwIfAborted } from '../../support/index.ts'
import type { CliCommand, CliContext } from '../cli-command.ts'
import { rememberFolders } from '../made-folders.ts'
import { type Output, styled } from '../output/output.ts'

const EXAMPLES = `
Examples:
  $ bayou check-store /lake
  $ bayou check-store /lake --json

The check works in folders of its own below the address and takes them away again.`

interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly problem?: string
}

export const checkStore: CliCommand = {
  define(command: Command) {
    command.argument('<url>', 'the store: a folder, or a file:// or s3:// address').addHelpText('after', EXAMPLES)
  },

  async run([location], _options, context) {
    const root = String(location).replace(/\/+$/, '')
    const session = await context.session()
    const openFresh = () => session.openStore(`${root}/_bayou_check_${randomUUID()}`)
    const first = await openFresh()
    const { capabilities } = first
    if (!capabilities.write) {
      const details = { operation: 'the check', key: root, cause: 'it takes no objects' }
      throw deltaError('LAKE_STORAGE_READ_ONLY', details)
    }
    const removeFolders = first.localPath ? rememberFolders(dirname(first.localPath('x'))) : async () => undefined
    try {
      await tryWriting(await openFresh())
      return await check(capabilities, openFresh, context)
    } finally {
      await removeFolders()
    }
  },
}

async function check(
  capabilities: StoreCapabilities,
  openFresh: () => Promise<ObjectStore>,
  context: CliContext,
): Promise<number> {
  const subject = {
    capabilities,
    make: async () => {
      const store = await openFresh()
      return { store, close: () => clear(store) }
    },
  }
  let failed = 0
  for (const test of objectStoreContract(subject)) {
    throwIfAborted(context.signal, 'the check of the store')
    const finding = await tryCheck(test)
    if (!finding.ok) failed++
    await printFinding(finding, context.output, context.globals.json)
  }
  return failed === 0 ? 0 : 1
}

/** A store that takes no object at all is one fault, not one a check. */
async function tryWriting(store: ObjectStore): Promise<void> {
  await store.put('probe', new Uint8Array(1))
  await clear(store)
}

async function tryCheck({ name, run }: ContractCase): Promise<Finding> {
  try {
    await run()
    return { check: name, ok: true }
  } catch (error) {
    const problem = isDeltaError(error) ? `${error.code}: ${error.message}` : causeText(error)
    return { check: name, ok: false, problem }
  }
}

async function printFinding(finding: Finding, output: Output, json: boolean): Promise<void> {
  if (json) return await output.line(JSON.stringify(finding))
  const mark = finding.ok ? styled('ok    ', 'green', output.color) : styled('FAILED', 'red', output.color)
  await output.line(`${mark}  ${finding.check}${finding.problem === undefined ? '' : `: ${finding.problem}`}`)
}

/** Takes away what a check made; of a local store the folders too. */
async function clear(store: ObjectStore): Promise<void> {
  if (store.localPath !== undefined) return await rm(dirname(store.localPath('x')), { recursive: true, force: true })
  if (!store.capabilities.list || !store.capabilities.write) return
  for await (const page of store.list({ prefix: '' })) {
    for (const { key } of page) await store.delete(key)
  }
}
