import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { startS3Server } from '../testing/index.ts'
import { openLocation } from './index.ts'

it.each([
  ['/lake/orders', '/lake/orders'],
  ['lake/orders', resolve('lake/orders')],
  ['./s3:/x', resolve('s3:/x')],
  ['file:///lake/or%20ders', '/lake/or ders'],
  ['file:/lake/orders', '/lake/orders'],
  ['http://host/lake/', 'http://host/lake'],
  ['https://host/lake', 'https://host/lake'],
  ['s3://bucket/lake/or%20ders/', 's3://bucket/lake/or%20ders'],
  ['S3A://bucket', 's3://bucket'],
])('%s opens %s', (location, expected) => {
  expect(openLocation(location).location).toBe(expected)
})

it.each([
  ['s3:///x', 's3://bucket/key'],
  ['s3://user:word@bucket/x', 's3://bucket/key'],
  ['az://x/y', 'container'],
  ['unity:a.b.c', 'unity'],
  ['ducklake:cat.db#a.b', 'ducklake'],
  ['GS://bucket', 'gs'],
  ['file://host/share', 'file'],
  ['', 'empty'],
  ['  ', 'empty'],
])('%j is refused, naming %s', (location, named) => {
  expect(() => openLocation(location)).toThrow(
    expect.objectContaining({ code: 'LAKE_INVALID_LOCATION', message: expect.stringContaining(named) }),
  )
})

it('an s3 address is reached where the environment says, and tried again', async () => {
  const server = await startS3Server()
  try {
    server.fault = () => (server.requests.length === 1 ? { kind: 'refuse', status: 503, code: 'SlowDown' } : undefined)
    server.objects.set('lake/x', Buffer.from('1'))
    const env = { AWS_ENDPOINT_URL_S3: server.endpoint, AWS_REGION: 'eu-central-1', AWS_SKIP_SIGNATURE: 'true' }
    expect(await openLocation('s3://bucket/lake', env).get('x')).toEqual(new Uint8Array([0x31]))
    expect(server.requests.map(({ key }) => key)).toEqual(['lake/x', 'lake/x'])
  } finally {
    await server.close()
  }
})
