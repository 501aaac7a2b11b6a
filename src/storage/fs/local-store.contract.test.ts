import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { objectStoreContract } from '../contract/index.ts'
import { measured, retrying } from '../index.ts'
import { localStore } from './index.ts'

describe.each(['bare', 'wrapped'])('contract of the local folder store, %s', (form) => {
  const make = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bayou-store-'))
    const store = localStore(join(folder, 'not yet there'))
    return {
      store: form === 'bare' ? store : measured(retrying(store)),
      close: () => rm(folder, { recursive: true }),
    }
  }
  for (const { name, run } of objectStoreContract({ capabilities: { write: true, list: true }, make })) it(name, run)
})
