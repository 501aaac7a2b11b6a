import { describe, expect, it } from 'vitest'
import type { ObjectStore } from '../../storage/index.ts'
import { encodeUtf8, type JsonObject, printJson } from '../../support/index.ts'
import { checksumKey } from '../paths/index.ts'
import { loadSnapshot } from './load.ts'
import { add, jsonLogEngine, logOf, METADATA, PROTOCOL } from './test-log.ts'

const RIGHT: JsonObject = {
  tableSizeBytes: 20,
  numFiles: 2,
  numMetadata: 1,
  numProtocol: 1,
  metadata: METADATA.metaData!,
  protocol: PROTOCOL.protocol,
  setTransactions: [{ appId: 'app', version: 3 }],
  domainMetadata: [],
}

async function table(): Promise<ObjectStore> {
  return await logOf([
    [PROTOCOL, METADATA, add('a')],
    [add('b'), { txn: { appId: 'app', version: 3 } }],
  ])
}

async function warningsWith(text: string): Promise<readonly string[]> {
  const store = await table()
  await store.put(checksumKey(1), encodeUtf8(text))
  const { warnings, files } = await loadSnapshot(store, jsonLogEngine)
  expect((await files.totals()).numFiles).toBe(2)
  return warnings
}

describe('a version checksum', () => {
  it('that agrees says nothing', async () => {
    expect(await warningsWith(printJson(RIGHT))).toEqual([])
    expect(await warningsWith('{"tableSizeBytes":20,"numFiles":2}')).toEqual([])
  })

  it.each<[string, JsonObject, string]>([
    ['files', { numFiles: 3 }, 'numFiles 2 here, 3 there'],
    ['bytes', { tableSizeBytes: 21 }, 'sizeInBytes 20 here, 21 there'],
    ['protocol', { protocol: { minReaderVersion: 1, minWriterVersion: 4 } }, 'protocol (1,2,[],[]) here, (1,4,[],[])'],
    ['metadata', { metadata: { id: 'other' } }, 'the metadata differs'],
    ['transactions', { setTransactions: [{ appId: 'app', version: 4 }] }, 'the transaction app=4 is in one only'],
    [
      'domains',
      { domainMetadata: [{ domain: 'd', configuration: '', removed: false }] },
      'the domain d= is in one only',
    ],
  ])('that disagrees about %s is told of', async (_, changes, told) => {
    const warnings = await warningsWith(printJson({ ...RIGHT, ...changes }))
    expect(warnings).toEqual([expect.stringMatching(/^_delta_log\/0{19}1\.crc disagrees with the log: /)])
    expect(warnings[0]).toContain(told)
  })

  it.each([
    '',
    'malformed',
    '[]',
    '{"tableSizeBytes":20}',
    `${printJson(RIGHT)} x`,
    '{"numFiles":-1,"tableSizeBytes":1}',
  ])('that is damaged is passed over: %s', async (text) => {
    expect(await warningsWith(text)).toEqual([expect.stringContaining('is not a version checksum')])
  })

  it('of another version is not looked at', async () => {
    const store = await table()
    await store.put(checksumKey(0), encodeUtf8('malformed'))
    expect((await loadSnapshot(store, jsonLogEngine)).warnings).toEqual([])
  })
})
