import { expect, test } from 'vitest'
import { DiskPace } from './disk-pace.ts'

function spin(ms: number): string {
  const end = performance.now() + ms
  while (performance.now() < end);
  return 'here'
}

async function placesOf(pace: DiskPace, calls: number, ms: number): Promise<string[]> {
  const places: string[] = []
  for (let i = 0; i < calls; i++)
    places.push(
      await pace.call(
        () => spin(ms),
        async () => 'elsewhere',
      ),
    )
  return places
}

test('calls of a slow disk go elsewhere, but for probes, and come back when it is quick', async () => {
  const pace = new DiskPace()
  const slow = await placesOf(pace, 60, 5)
  expect(slow[0]).toBe('here')
  expect(slow.filter((place) => place === 'here').length).toBeLessThan(20)
  const quick = await placesOf(pace, 400, 0)
  expect(quick.at(-1)).toBe('here')
})

test('a call that fails fails', async () => {
  const failing = () => {
    throw new Error('no')
  }
  await expect(new DiskPace().call(failing, failing)).rejects.toThrow('no')
})
