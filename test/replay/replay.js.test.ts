import { jsEngine } from '../../src/engine/js/index.ts'
import { replayAll } from './replay-all.ts'

replayAll(jsEngine())
