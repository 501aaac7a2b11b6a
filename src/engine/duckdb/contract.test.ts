import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { localStore } from '../../storage/fs/index.ts'
import { memoryStore } from '../../storage/index.ts'
import { type EngineSubject, engineContract } from '../contract/index.ts'
import { duckdbEngine } from './engine.ts'

const options = { threads: 2, memoryLimit: '500MB' }

async function inFolder(): Promise<EngineSubject> {
  const root = mkdtempSync(join(tmpdir(), 'contract-'))
  return {
    engine: duckdbEngine(options),
    store: localStore(root),
    close: async () => rmSync(root, { recursive: true }),
  }
}

describe('in a local folder', () => {
  for (const { name, run } of engineContract(inFolder)) test(name, run)
})

describe('in a store without paths', () => {
  const inMemory = async () => ({ engine: duckdbEngine(options), store: memoryStore() })
  for (const { name, run } of engineContract(inMemory)) test(name, run)
})
