import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { md5Hex } from './md5.ts'
import { encodeUtf8 } from './text.ts'

test('the vectors of RFC 1321', () => {
  expect(md5Hex(encodeUtf8(''))).toBe('d41d8cd98f00b204e9800998ecf8427e')
  expect(md5Hex(encodeUtf8('message digest'))).toBe('f96b697d7cb7938d525a2f31aaf161d0')
})

test('any bytes as another implementation has them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(md5Hex(bytes)).toBe(createHash('md5').update(bytes).digest('hex'))
    }),
  )
})
