import { describe, test } from 'vitest'
import { memoryStore } from '../../storage/index.ts'
import { engineContract } from '../contract/index.ts'
import { jsEngine } from './index.ts'

describe('the TypeScript engine', () => {
  for (const { name, run } of engineContract(async () => ({ engine: jsEngine(), store: memoryStore() })))
    test(name, run)
})
