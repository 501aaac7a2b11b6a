import { describe, expect, it } from 'vitest'
import { deltaError } from '../../errors/index.ts'
import { collect, encodeUtf8 } from '../../support/index.ts'
import { memoryStore } from '../memory/index.ts'
import { faulty } from './faulty.ts'
import { measured } from './measured.ts'
import { retrying } from './retrying.ts'

const bytes = encodeUtf8('12345')

function waits() {
  const ms: number[] = []
  return { ms, sleep: async (time: number) => void ms.push(time) }
}

describe('faulty', () => {
  it('before: nothing is done; after-effect: it is done and the answer is lost', async () => {
    for (const when of ['before', 'after-effect'] as const) {
      const inner = memoryStore()
      const store = faulty(inner, { failCall: 2, when })
      await store.put('a', bytes)
      await expect(store.putIfAbsent('b', bytes)).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE' })
      expect(await inner.putIfAbsent('b', bytes)).toBe(when === 'before' ? 'created' : 'exists')
      await store.put('c', bytes)
      expect(store.calls()).toBe(3)
      expect(store.hasFailed()).toBe(true)
    }
  })

  it('counts only the methods and keys planned', async () => {
    const error = deltaError('LAKE_STORAGE_FULL', { operation: 'put', key: 'b', cause: 'planned' })
    const store = faulty(memoryStore(), { failCall: 1, when: 'before', methods: ['put'], keys: /^b/, error })
    await store.put('a', bytes)
    await collect(store.list({ prefix: 'b' }))
    await expect(store.put('b', bytes)).rejects.toBe(error)
  })
})

describe('retrying', () => {
  it('makes a retryable call again, waiting longer each time, up to its number of attempts', async () => {
    const { ms, sleep } = waits()
    const inner = memoryStore()
    await inner.put('a', bytes)
    const failing = { ...inner, get: async () => Promise.reject(deltaError('LAKE_STORAGE_UNAVAILABLE', { key: 'a' })) }
    const store = retrying(failing, { attempts: 4, firstDelayMs: 100, maxDelayMs: 300, sleep, random: () => 1 })
    await expect(store.get('a')).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE' })
    expect(ms).toEqual([100, 200, 300])
  })

  it.each(['get', 'head', 'put', 'delete', 'list'] as const)('carries %s over one fault', async (method) => {
    const { ms, sleep } = waits()
    const inner = memoryStore()
    await inner.put('a', bytes)
    const store = retrying(faulty(inner, { failCall: 1, when: 'after-effect', methods: [method] }), { sleep })
    const calls = {
      get: () => store.get('a'),
      head: () => store.head('a'),
      put: () => store.put('a', bytes),
      delete: () => store.delete('a'),
      list: () => collect(store.list({ prefix: '' })),
    }
    await calls[method]()
    expect(ms.length).toBe(1)
  })

  it('never sends putIfAbsent again: the outcome is for the caller to find out', async () => {
    const { ms, sleep } = waits()
    const inner = measured(memoryStore())
    const store = retrying(faulty(inner, { failCall: 1, when: 'after-effect' }), { sleep })
    await expect(store.putIfAbsent('a', bytes)).rejects.toMatchObject({ code: 'LAKE_STORAGE_UNAVAILABLE' })
    expect(inner.measures().putIfAbsent.calls).toBe(1)
    expect(ms).toEqual([])
  })

  it('does not try again what trying cannot cure', async () => {
    const { ms, sleep } = waits()
    await expect(retrying(memoryStore(), { sleep }).get('a')).rejects.toMatchObject({ code: 'LAKE_OBJECT_NOT_FOUND' })
    expect(ms).toEqual([])
  })

  it('goes on with a listing behind the last page given', async () => {
    const inner = memoryStore()
    for (let i = 0; i < 2500; i++) await inner.put(`k${String(i).padStart(5, '0')}`, bytes)
    let failed = false
    const breaking = {
      ...inner,
      async *list(options: Parameters<typeof inner.list>[0]) {
        for await (const page of inner.list(options)) {
          yield page
          if (!failed) {
            failed = true
            throw deltaError('LAKE_STORAGE_UNAVAILABLE', { operation: 'list', key: '', cause: 'planned' })
          }
        }
      },
    }
    const keys = (await collect(retrying(breaking, waits()).list({ prefix: '' }))).flat().map((meta) => meta.key)
    expect(keys.length).toBe(2500)
    expect(new Set(keys).size).toBe(2500)
  })
})

it('measured counts calls, failures and bytes by method', async () => {
  const store = measured(memoryStore())
  await store.put('a', bytes)
  await store.get('a')
  await store.getRange('a', { start: 1, end: 3 })
  await store.get('none').catch(() => undefined)
  await collect(store.list({ prefix: '' }))
  expect(store.measures()).toMatchObject({
    put: { calls: 1, failures: 0, bytes: 5 },
    get: { calls: 2, failures: 1, bytes: 5 },
    getRange: { calls: 1, failures: 0, bytes: 2 },
    list: { calls: 1, failures: 0, bytes: 0 },
  })
  store.reset()
  expect(store.measures().get.calls).toBe(0)
})
