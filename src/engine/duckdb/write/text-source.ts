import { deltaError } from '../../../errors/index.ts'
import type { TextSource } from '../../engine.ts'
import type { SourceCounts, WriteJob } from './job.ts'

export function writeText(_source: TextSource, _job: WriteJob): Promise<SourceCounts> {
  return Promise.reject(deltaError('LAKE_INTERNAL', { what: 'text is taken in' }))
}
