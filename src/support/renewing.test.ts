import { describe, expect, it } from 'vitest'
import { SECOND_MS as SECOND } from './clock.ts'
import { renewing } from './renewing.ts'

describe('renewing', () => {
  const setup = (lifetimeMs: number) => {
    const state = { nowMs: 1_000_000, loads: 0, isFailing: false, failures: 0 }
    const give = renewing(
      async () => {
        state.loads++
        await Promise.resolve()
        if (state.isFailing) throw new Error('the catalog is away')
        const expiration = new Date(state.nowMs + lifetimeMs)
        return { key: `key ${state.loads}`, expiration }
      },
      { clock: { now: () => state.nowMs }, onFailure: () => state.failures++ },
    )
    const key = async () => (await give()).key
    return { state, give, key }
  }

  it('asks once for all who wait, and again a third of the time ahead of the end', async () => {
    const { state, key, give } = setup(90 * SECOND)
    expect(await Promise.all([key(), key(), key()])).toEqual(['key 1', 'key 1', 'key 1'])
    expect(give.expiresAtMs()).toBe(1_000_000 + 90 * SECOND)
    state.nowMs += 59 * SECOND
    expect(await key()).toBe('key 1')
    state.nowMs += 2 * SECOND
    expect(await Promise.all([key(), key()])).toEqual(['key 2', 'key 2'])
    expect(state.loads).toBe(2)
  })

  it('is five minutes ahead of the end of an hour', async () => {
    const { state, key } = setup(3600 * SECOND)
    await key()
    state.nowMs += 54 * 60 * SECOND
    expect(await key()).toBe('key 1')
    state.nowMs += 61 * SECOND
    expect(await key()).toBe('key 2')
  })

  it('a renewal that fails is borne until the end, and tried every five seconds', async () => {
    const { state, key } = setup(90 * SECOND)
    await key()
    state.isFailing = true
    state.nowMs += 61 * SECOND
    for (let i = 0; i < 10; i++) expect(await key()).toBe('key 1')
    expect([state.loads, state.failures]).toEqual([2, 1])
    state.nowMs += 6 * SECOND
    await key()
    expect([state.loads, state.failures]).toEqual([3, 2])
    state.nowMs += 30 * SECOND
    await expect(key()).rejects.toThrow('the catalog is away')
    state.isFailing = false
    expect(await key()).toBe('key 5')
  })

  it('what a service refused is dropped, unless it was renewed since the request', async () => {
    const { state, give, key } = setup(3600 * SECOND)
    await key()
    const sentAt = state.nowMs
    state.nowMs += SECOND
    give.refused(sentAt)
    expect(await key()).toBe('key 2')
    give.refused(sentAt)
    expect(await key()).toBe('key 2')
  })
})
