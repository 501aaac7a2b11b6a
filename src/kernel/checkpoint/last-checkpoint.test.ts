import { expect, test } from 'vitest'
import { memoryStore } from '../../storage/index.ts'
import { decodeUtf8, encodeUtf8, isJsonObject, type JsonObject, parseJson } from '../../support/index.ts'
import { canonicalHint, hintChecksum } from '../log/index.ts'
import { LAST_CHECKPOINT_KEY } from '../paths/index.ts'
import { writeLastCheckpoint } from './last-checkpoint.ts'

test('the checksum of the protocol', () => {
  const hint = parseJson(
    '{"k0":"\'v 0\'","checksum":"adsaskfljadfkjadfkj","k1":{"k2":2,"k3":["v3",[1,2],{"k4":"v4","k5":["v5","v6","v7"]}]}}',
  ) as JsonObject
  expect(canonicalHint(hint)).toBe(
    '"k0"="%27v%200%27","k1"+"k2"=2,"k1"+"k3"+0="v3","k1"+"k3"+1+0=1,"k1"+"k3"+1+1=2,"k1"+"k3"+2+"k4"="v4",' +
      '"k1"+"k3"+2+"k5"+0="v5","k1"+"k3"+2+"k5"+1="v6","k1"+"k3"+2+"k5"+2="v7"',
  )
  expect(hintChecksum(hint)).toBe('6a92d155a59bf2eecbd4b4ec7fd1f875')
})

test('the hint carries the checksum of itself and never goes back', async () => {
  const store = memoryStore()
  const read = async () => parseJson(decodeUtf8(await store.get(LAST_CHECKPOINT_KEY)))
  await writeLastCheckpoint(store, { version: 20, size: 5, sizeInBytes: 100, numOfAddFiles: 3 })
  const hint = await read()
  expect(isJsonObject(hint) && hint.checksum === hintChecksum(hint)).toBe(true)
  await writeLastCheckpoint(store, { version: 10, size: 5, sizeInBytes: 100, numOfAddFiles: 3 })
  expect(await read()).toEqual(hint)
})

test('a damaged hint is replaced', async () => {
  const store = memoryStore()
  await store.put(LAST_CHECKPOINT_KEY, encodeUtf8('{"version":'))
  await writeLastCheckpoint(store, { version: 1, size: 1, sizeInBytes: 1, numOfAddFiles: 0 })
  expect(decodeUtf8(await store.get(LAST_CHECKPOINT_KEY))).toContain('"version":1')
})
