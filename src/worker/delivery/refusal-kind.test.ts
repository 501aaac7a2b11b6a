import { expect, test } from 'vitest'
import { refusalKind } from './refusal-kind.ts'

test.each([
  ['not JSON at character 3: a value was expected', 'malformed'],
  ['the record is not UTF-8', 'malformed'],
  ['the record is not a JSON object', 'malformed'],
  ['the column a is there twice', 'malformed'],
  ['id is "x", and the record has i64 there', 'type'],
  ['the column id is bigint, and "x" is not exactly one', 'type'],
  ['the record has the field more, which is no column', 'unknown_field'],
  ["the row's partition values make a key of 1025 bytes; a key holds 1024", 'key_too_long'],
  ['the column id is NOT NULL, and null is there', 'null'],
  ['a cast that failed', 'other'],
] as const)('%s: %s', (reason, kind) => {
  expect(refusalKind(reason)).toBe(kind)
})
