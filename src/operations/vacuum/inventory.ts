/** VACUUM USING INVENTORY: the files to look at come from a table, a query or rows, instead of a listing. */
import { type JoinSource, rowPages } from '../../engine/index.ts'
import { deltaError } from '../../errors/index.ts'
import { locateDataFile } from '../../kernel/index.ts'
import {
  booleanType,
  field,
  findField,
  formatType,
  longType,
  type Row,
  type StructType,
  stringType,
  structType,
  type Value,
} from '../../schema/index.ts'
import { isKey } from '../../storage/index.ts'
import type { MergeSource } from '../command.ts'
import type { OperationContext } from '../context.ts'
import { openSource } from '../dml/merge/open-source.ts'
import type { Candidate, CandidateSource } from './candidates.ts'

/** @throws DeltaError `DELTA_INVALID_INVENTORY_SCHEMA`, what reading the inventory throws */
export async function inventoryFiles(
  inventory: MergeSource,
  context: OperationContext,
  isHidden: (key: string) => boolean,
): Promise<CandidateSource> {
  const { source, release } = await openSource(inventory, INVENTORY, context)
  const staged: Candidate[] = []
  let numFolders = 1
  try {
    const { schema, pages } = await rowsOf(source, context)
    const ordinals = checkColumns(schema)
    const seen = new Set<string>()
    for await (const page of pages) {
      for (const row of page) {
        const [path, length, isDir, modifiedMs] = ordinals.map((ordinal) => row[ordinal] ?? null)
        const key = keyOf(path, context)
        if (key === undefined || isHidden(key) || seen.has(key)) continue
        seen.add(key)
        if (isDir === true) numFolders++
        else staged.push({ key, size: Number(length ?? 0), modifiedMs: Number(modifiedMs ?? 0) })
      }
    }
  } finally {
    await release()
  }
  return { candidates: () => onePage(staged), resumes: false, numFolders: () => numFolders }
}

const INVENTORY: StructType = structType([
  field('path', stringType),
  field('length', longType),
  field('isDir', booleanType),
  field('modificationTime', longType),
])

async function* onePage(candidates: readonly Candidate[]): AsyncGenerator<readonly Candidate[]> {
  yield candidates
}

/** @returns where each column stands */
function checkColumns(schema: StructType): readonly number[] {
  return INVENTORY.fields.map(({ name, type }) => {
    const found = findField(schema, name)
    const problem = found === undefined ? `${name} is missing` : `${name} is ${formatType(found.type)}`
    if (found?.type.kind !== type.kind) throw deltaError('DELTA_INVALID_INVENTORY_SCHEMA', { problem })
    return schema.fields.indexOf(found)
  })
}

/** The text of an inventory is a path as it is, not encoded; one outside of the table is none of its files. */
function keyOf(path: Value | undefined, { store }: OperationContext): string | undefined {
  if (typeof path !== 'string' || path === '') return undefined
  const place = locateDataFile(store.location, path.replaceAll('%', '%25'))
  return place.kind === 'key' && isKey(place.key) ? place.key : undefined
}

async function rowsOf(
  source: JoinSource,
  { engine, options }: OperationContext,
): Promise<{ schema: StructType; pages: AsyncIterable<readonly Row[]> }> {
  if (source.kind === 'rows') return { schema: source.schema, pages: source.rows }
  if (source.kind === 'scan') {
    const { layout, columns } = source.plan
    const schema = structType(columns.map((ordinal) => layout.schema.fields[ordinal]!))
    return { schema, pages: rowPages(engine.scan(source.plan, options)) }
  }
  if (engine.query === undefined) throw deltaError('LAKE_ENGINE_HAS_NO_SQL', { engine: engine.name })
  const { schema, batches } = await engine.query(source.sql, source.views, options)
  return { schema, pages: rowPages(batches) }
}
