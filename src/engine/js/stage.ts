/** Rows taken in to be joined with a table: see `Engine.stage`. */
import { deltaError } from '../../errors/index.ts'
import { structType } from '../../schema/index.ts'
import { type EngineOptions, type JoinSource, rowPages, type StagedRows, stageRows } from '../index.ts'
import { scan } from './scan.ts'
import { write } from './write.ts'

const ACCESS = { scan, write }

export async function stage(source: JoinSource, options: EngineOptions = {}): Promise<StagedRows> {
  if (source.kind === 'query') throw deltaError('LAKE_ENGINE_HAS_NO_SQL', { engine: 'js' })
  if (source.kind === 'rows') return await stageRows(ACCESS, source.schema, source.rows)
  const { plan } = source
  const schema = structType(plan.columns.map((ordinal) => plan.layout.schema.fields[ordinal]!))
  return await stageRows(ACCESS, schema, rowPages(scan(plan, options)))
}
