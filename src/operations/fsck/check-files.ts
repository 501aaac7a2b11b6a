/** The live files of a table: whether they are there, whole, and what the log says of them. */
import { type FileFooter, leafStatistics } from '../../engine/index.ts'
import { causeText, isDeltaError } from '../../errors/index.ts'
import {
  type AddFile,
  compareValues,
  loadDeletionVector,
  openDataFile,
  type ParsedStats,
  parseStats,
  type Snapshot,
  type StatisticsLeaf,
  statisticsColumns,
  statisticsLeaves,
} from '../../kernel/index.ts'
import type { DataType, Value } from '../../schema/index.ts'
import { mapParallel, throwIfAborted } from '../../support/index.ts'
import type { OperationContext } from '../context.ts'
import { fileStats, type StatisticsGround } from '../file-stats.ts'
import type { Findings } from './fsck.ts'

const PARALLEL = 8

/** @param deep whether the pages of each file are read too, for their checksums */
export async function checkFiles(
  snapshot: Snapshot,
  findings: Findings,
  { deep }: { readonly deep: boolean },
  context: OperationContext,
): Promise<void> {
  const { layout } = snapshot
  const columns = statisticsColumns(snapshot)
  const leaves = statisticsLeaves(layout, columns)
  const ground = { layout, leaves, stringPrefixLength: columns.stringPrefixLength, context }
  const { signal, onProgress } = context.options
  for await (const page of snapshot.files.select(undefined, signal && { signal })) {
    await mapParallel(page, PARALLEL, async (file) => {
      throwIfAborted(signal, 'FSCK')
      await checkFile(file, { findings, ground, deep, context })
      onProgress?.({ rows: 0, bytes: 0, files: ++findings.numFiles })
      if (onProgress === undefined) findings.numFiles++
    })
  }
}

interface FileCheck {
  readonly findings: Findings
  readonly ground: StatisticsGround
  readonly deep: boolean
  readonly context: OperationContext
}

async function checkFile(file: AddFile, check: FileCheck): Promise<void> {
  const { findings, context } = check
  const { path } = file
  const place = openDataFile(context.store, path)
  const size = await sizeOf(place)
  if (size === undefined) {
    findings.missing.push(file)
    findings.tell({ kind: 'missing file', path, problem: 'it is gone', repair: 'the file leaves the table' })
    return
  }
  if (size !== file.size) {
    findings.tell({ kind: 'file size', path, problem: `it has ${size} bytes, the log says ${file.size}` })
    return
  }
  const footer = await readFooter(file, place, check)
  if (footer === undefined) return
  await checkVector(file, footer, check)
  await checkStatistics(file, footer, check)
}

async function sizeOf({ store, key }: ReturnType<typeof openDataFile>): Promise<number | undefined> {
  try {
    return (await store.head(key)).size
  } catch (error) {
    if (isDeltaError(error, 'LAKE_OBJECT_NOT_FOUND')) return undefined
    throw error
  }
}

async function readFooter(
  { path, size }: AddFile,
  { store, key }: ReturnType<typeof openDataFile>,
  { findings, deep, context }: FileCheck,
): Promise<FileFooter | undefined> {
  try {
    return await context.engine.readFooter(store, { key, size }, { ...context.options, checkPages: deep })
  } catch (error) {
    if (!isDeltaError(error) || error.code.startsWith('LAKE_STORAGE_') || error.code === 'LAKE_CANCELLED') throw error
    findings.tell({ kind: 'unreadable file', path, problem: causeText(error) })
    return undefined
  }
}

async function checkVector(
  { path, deletionVector }: AddFile,
  { numRecords }: FileFooter,
  { findings, context }: FileCheck,
): Promise<void> {
  if (deletionVector === undefined) return
  try {
    await loadDeletionVector(context.store, deletionVector, { numRecords })
  } catch (error) {
    if (!isDeltaError(error) || error.code.startsWith('LAKE_STORAGE_')) throw error
    findings.tell({ kind: 'deletion vector', path, problem: causeText(error) })
  }
}

async function checkStatistics(file: AddFile, footer: FileFooter, check: FileCheck): Promise<void> {
  const problem = await faultOfStatistics(file, footer, check)
  if (problem === undefined) return
  check.findings.tell({ kind: 'statistics', path: file.path, problem, repair: 'its statistics are made anew' })
  check.findings.refreshed.push({ ...file, stats: await fileStats(file, footer, check.ground) })
}

/**
 * What statistics say that the file disproves; none at all is no fault. Of a file with deleted rows they may speak of the
 * live ones alone, and only the number of rows is held against it.
 */
async function faultOfStatistics(
  file: AddFile,
  footer: FileFooter,
  { ground, context }: FileCheck,
): Promise<string | undefined> {
  const stats = parseStats(file.stats)
  if (stats.numRecords !== undefined && stats.numRecords !== BigInt(footer.numRecords)) {
    return `they say ${stats.numRecords} rows, the file has ${footer.numRecords}`
  }
  if (file.deletionVector !== undefined) return undefined
  const suspects: StatisticsLeaf[] = []
  for (const leaf of ground.leaves) {
    const nulls = footer.nullCount(leaf.path)
    const told = stats.nullCount(leaf.path)
    if (nulls !== undefined && told !== undefined && told !== BigInt(nulls)) {
      return `they say ${told} nulls in ${leaf.path.join('.')}, the file has ${nulls}`
    }
    const side = sideLeavingOut(stats, leaf, footer.bound.bind(footer))
    // the footer may have cut a text, which moves its bound outwards: the rows tell
    if (side !== undefined && leaf.type.kind === 'string') suspects.push(leaf)
    else if (side !== undefined) return leavesOut(side, leaf)
  }
  if (suspects.length === 0) return undefined
  const { store, engine, options } = context
  const plan = { store, layout: ground.layout, files: [file], columns: [] }
  const exact = await leafStatistics(engine, plan, suspects, options)
  for (const [i, leaf] of suspects.entries()) {
    const side = sideLeavingOut(stats, leaf, (of) => exact[i]![of] ?? undefined)
    if (side !== undefined) return leavesOut(side, leaf)
  }
  return undefined
}

function leavesOut(side: Side, { path }: StatisticsLeaf): string {
  return `the ${side}imum they have of ${path.join('.')} leaves rows out`
}

type Side = 'min' | 'max'
type Bound = (side: Side, path: readonly string[], type: DataType) => Exclude<Value, null> | undefined

/** The side on which a value lies outside of the statistics. */
function sideLeavingOut(stats: ParsedStats, { path, type, hasBounds }: StatisticsLeaf, of: Bound): Side | undefined {
  if (!hasBounds) return undefined
  return (['min', 'max'] as const).find((side) => {
    const told = stats.bound(side, path, type)
    const value = of(side, path, type)
    if (told === undefined || value === undefined) return false
    const order = compareValues(value, told, type)!
    return side === 'min' ? order < 0 : order > 0
  })
}
