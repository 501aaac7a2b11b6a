import { expect, test } from 'vitest'
import { doubleToText } from './value-json.ts'

test.each([
  [0.1, '0.1'],
  [4520.96875, '4520.9688'],
  [16777216, '16777216'],
  // 99627900 lies midway between this float and the one below
  [99627904, '99627904'],
  [-99627904, '-99627904'],
  [1e-45, '1e-45'],
  [3.4028234663852886e38, '3.4028235e+38'],
])('the float %d is %s', (value, text) => expect(doubleToText(Math.fround(value), 'float')).toBe(text))
