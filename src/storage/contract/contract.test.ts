import { describe, it } from 'vitest'
import { faulty, measured, memoryStore, type ObjectStore, retrying } from '../index.ts'
import { type ContractSubject, objectStoreContract } from './index.ts'

const NEVER = { failCall: Number.POSITIVE_INFINITY, when: 'before' } as const

const layers: Record<string, (store: ObjectStore) => ObjectStore> = {
  memory: (store) => store,
  'retrying memory': (store) => retrying(store),
  'measured memory': (store) => measured(store),
  'faulty memory whose fault never comes': (store) => faulty(store, NEVER),
  'retrying faulty memory': (store) =>
    retrying(faulty(store, { failCall: 3, when: 'before', methods: ['get', 'put', 'list'] }), { firstDelayMs: 1 }),
}

for (const [name, wrap] of Object.entries(layers)) {
  describe(`contract of the ${name} store`, () => {
    const make = async (): Promise<ContractSubject> => ({ store: wrap(memoryStore()) })
    for (const { name, run } of objectStoreContract({ capabilities: { write: true, list: true }, make })) it(name, run)
  })
}
