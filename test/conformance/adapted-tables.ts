/**
 * Tables that need a changed copy: absolute paths, placeholders and names that only the writer's own tests know.
 *
 * The recordings of `tables` say in `adapted.change` what the reference was given; those of `tables-spark` begin their
 * absolute paths with `/golden/<name>/`.
 */
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RecordedTable } from './recorded-tables.ts'

const TEST_PREFIX = 'test%dv%prefix-'

type Adaptation = (copy: string, original: string) => void

const adaptations: ReadonlyMap<string, Adaptation> = new Map<string, Adaptation>([
  ['delta-spark/table-with-dv-large', dropTestPrefix],
  ['delta-spark/partitioned-table-with-dv-large', dropTestPrefix],
  ['delta-spark/table-with-dv-special-char', fillPlaceholder],
  [
    'trino/databricks154/clone_checkpoint_version_zero/checkpoint_v2/shallow_cloned_table',
    (copy, original) => {
      const source = join(dirname(original), 'clone_source')
      for (const name of readdirSync(source).filter((file) => file.endsWith('.parquet'))) {
        cpSync(join(source, name), join(copy, name))
      }
    },
  ],
])

/** Whether the recording speaks of a changed copy. */
export function isAdapted(table: RecordedTable): boolean {
  return adaptations.has(table.name) || existsSync(join(dirname(table.folder), 'source'))
}

/**
 * Copies a table below a folder and changes it as its recording says.
 *
 * @returns the folder of the copy
 */
export function adaptedCopy(table: RecordedTable, below: string): string {
  const copy = join(below, table.name)
  cpSync(table.folder, copy, { recursive: true })
  const source = join(dirname(table.folder), 'source')
  if (existsSync(source)) cpSync(source, join(copy, '..', 'source'), { recursive: true })
  replaceInLog(copy, `/golden/${table.name}/`, `${encodeFolder(dirname(copy))}/`)
  adaptations.get(table.name)?.(copy, table.folder)
  return copy
}

function dropTestPrefix(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.startsWith(TEST_PREFIX))) {
    renameSync(join(folder, name), join(folder, name.slice(TEST_PREFIX.length)))
  }
}

function fillPlaceholder(copy: string): void {
  const folder = join(copy, 'folder&with%special char')
  dropTestPrefix(folder)
  replaceInLog(copy, '{{FOLDER_WITH_SPECIAL_CHAR}}', encodeFolder(folder))
  replaceInLog(copy, encodeURI(TEST_PREFIX), '')
}

/** `&` stays, as in the recording. */
function encodeFolder(folder: string): string {
  return folder.replaceAll('%', '%25').replaceAll(' ', '%20')
}

function replaceInLog(copy: string, from: string, to: string): void {
  const log = join(copy, '_delta_log')
  for (const name of readdirSync(log).filter((file) => file.endsWith('.json'))) {
    const text = readFileSync(join(log, name), 'utf8')
    if (text.includes(from)) writeFileSync(join(log, name), text.replaceAll(from, to))
  }
}
