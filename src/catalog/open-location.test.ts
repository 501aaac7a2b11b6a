import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { openLocation } from './index.ts'

it.each([
  ['/lake/orders', '/lake/orders'],
  ['lake/orders', resolve('lake/orders')],
  ['./s3:/x', resolve('s3:/x')],
  ['file:///lake/or%20ders', '/lake/or ders'],
  ['file:/lake/orders', '/lake/orders'],
  ['http://host/lake/', 'http://host/lake'],
  ['https://host/lake', 'https://host/lake'],
])('%s opens %s', (location, expected) => {
  expect(openLocation(location).location).toBe(expected)
})

it.each([
  ['s3://bucket/x', 's3'],
  ['az://container/x', 'az'],
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
