/** Rows taken in to be joined with a table: see `Engine.stage`. */
import { deltaError } from '../../errors/index.ts'
import { type Row, structType } from '../../schema/index.ts'
import type { EngineOptions, JoinSource, ScanPlan, StagedRows } from '../index.ts'
import { stageRows } from '../index.ts'
import { scan } from './scan.ts'
import { write } from './write.ts'

const ACCESS = { scan, write }

export async function stage(source: JoinSource, options: EngineOptions = {}): Promise<StagedRows> {
  if (source.kind === 'query') throw deltaError('LAKE_ENGINE_HAS_NO_SQL', { engine: 'js' })
  if (source.kind === 'rows') return await stageRows(ACCESS, source.schema, source.rows)
  const { plan } = source
  const schema = structType(plan.columns.map((ordinal) => plan.layout.schema.fields[ordinal]!))
  return await stageRows(ACCESS, schema, scannedRows(plan, options))
}

async function* scannedRows(plan: ScanPlan, options: EngineOptions): AsyncGenerator<readonly Row[]> {
  for await (const batch of scan(plan, options)) {
    const columns = batch.schema.fields.map((_, i) => batch.column(i))
    yield Array.from({ length: batch.numRows }, (_, at) => columns.map((column) => column[at]!))
  }
}
