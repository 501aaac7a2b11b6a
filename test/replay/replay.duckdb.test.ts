import { duckdbEngine } from '../../src/engine/duckdb/index.ts'
import { replayAll } from './replay-all.ts'

replayAll(duckdbEngine())
