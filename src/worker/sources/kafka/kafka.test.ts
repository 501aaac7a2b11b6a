import { describe, expect, it, test } from 'vitest'
import { decodeUtf8, encodeUtf8 } from '../../../support/index.ts'
import { checkWorkerConfig, parseWorkerConfig } from '../../config/config.ts'
import { batchOfMessages } from '../messages.ts'
import { openSource } from '../open-source.ts'

const batchOf = (values: readonly (string | null)[], isJson = true) =>
  batchOfMessages(
    't/0',
    values.map((value, i) => ({ offset: BigInt(10 + 2 * i), value: value === null ? null : encodeUtf8(value) })),
    isJson,
  )

describe('messages as lines', () => {
  it('have their offsets as places, and stand as they came', () => {
    const batch = batchOf(['{"id":1}', '{"id":2}'])
    expect(decodeUtf8(batch.bytes)).toBe('{"id":1}\n{"id":2}\n')
    expect(batch).toMatchObject({ partition: 't/0', start: 10n, end: 13n, unit: 'record', places: [10n, 12n] })
    expect(batch.origin).toBeUndefined()
  })

  it('lose the newlines of JSON, which stand between its tokens', () => {
    const batch = batchOf(['{\r\n"id":\n1}\n', '{"a":"x\\ny"}'])
    expect(decodeUtf8(batch.bytes)).toBe('{  "id": 1}\n{"a":"x\\ny"}\n')
    expect(batch.origin?.faults.size).toBe(0)
  })

  it.each([
    [null, true, 'the message has no value'],
    ['', true, 'the message is empty'],
    [' \t\n', true, 'the message is empty'],
    ['{"id":"a\nb"}', true, 'the record is '],
    ['a=1\nb=2', false, 'the message holds more than one line'],
  ])('%j is kept aside', (value, isJson, fault) => {
    const batch = batchOf(['{}', value, '{}'], isJson)
    expect(decodeUtf8(batch.bytes)).toBe('{}\n""\n{}\n')
    expect(batch.origin?.faults.get(1)).toContain(fault)
    const { bytes, offsets } = batch.origin!
    expect(decodeUtf8(bytes.subarray(offsets[1], offsets[2]))).toBe(`${value ?? ''}\n`)
  })

  it('of another format may end with a newline', () => {
    expect(decodeUtf8(batchOf(['a=1\r\n'], false).bytes)).toBe('a=1\n')
  })
})

const source = { id: 's', type: 'kafka', schema: 'id BIGINT', brokers: ['b:9092'], topics: ['t'], groupId: 'g' }

test.each([
  [{ brokers: [] }, 'brokers'],
  [{ brokers: ['localhost'] }, 'brokers'],
  [{ topics: ['a b'] }, 'topics'],
  [{ groupId: undefined }, 'groupId'],
  [{ format: 'csv' }, 'format'],
  [{ saslMechanism: 'GSSAPI' }, 'saslMechanism'],
  [{ saslMechanism: 'PLAIN', saslUsername: 'U' }, 'saslMechanism'],
])('the setting %j is refused', (more, key) => {
  const { faults } = checkWorkerConfig({ sources: [{ ...source, ...more }] })
  expect(faults.map(({ details }) => details.key)).toEqual([`sources[0].${key}`])
})

test.skipIf('withResolvers' in Promise)('without a Node that its client runs on, it is refused by name', async () => {
  const opened = openSource(parseWorkerConfig({ sources: [source] }).sources[0]!, {
    input: (async function* () {})(),
    lookup: () => undefined,
  })
  const reading = (async () => {
    for await (const _ of opened.open({ positionOf: () => 0n, once: true, signal: new AbortController().signal })) break
  })()
  await expect(reading).rejects.toMatchObject({
    code: 'LAKE_PACKAGE_MISSING',
    message: expect.stringContaining('@platformatic/kafka'),
  })
})
if ('withResolvers' in Promise) console.log('skipped: the refusal of Kafka sources by Node: this one is new enough')
