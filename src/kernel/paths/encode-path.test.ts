import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../support/index.ts'
import { decodePath, isAbsolutePath } from './data-path.ts'
import { encodePath, escapeHive, partitionDirectory, unescapeHive } from './encode-path.ts'

const text = fc.string({ unit: 'grapheme' })

describe('directory names', () => {
  test('escape what Hive escapes and nothing else', () => {
    expect(escapeHive('a:b')).toBe('a%3Ab')
    expect(escapeHive('"#%\'*/:=?\\{[]^\x01\x7f')).toBe('%22%23%25%27%2A%2F%3A%3D%3F%5C%7B%5B%5D%5E%01%7F')
    expect(escapeHive('a b}~é日+&')).toBe('a b}~é日+&')
  })

  test('are read back as what they were made from', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(unescapeHive(escapeHive(value))).toBe(value)
      }),
    )
  })

  test('null and the empty text share the directory of null', () => {
    expect(partitionDirectory([['p', null]])).toBe('p=__HIVE_DEFAULT_PARTITION__/')
    expect(partitionDirectory([['p', '']])).toBe('p=__HIVE_DEFAULT_PARTITION__/')
    expect(partitionDirectory([])).toBe('')
  })

  test('a value of dots stays below its own directory', () => {
    expect(partitionDirectory([['p', '..']])).toBe('p=../')
  })

  test('never grow past what a file system and an object store take', () => {
    const columns = fc.array(fc.tuple(fc.string({ maxLength: 300, unit: 'grapheme' }), fc.string({ maxLength: 2000 })))
    fc.assert(
      fc.property(columns, (values) => {
        const directory = partitionDirectory(values)
        expect(encodeUtf8(directory).length).toBeLessThanOrEqual(700)
        for (const segment of directory.split('/')) expect(encodeUtf8(segment).length).toBeLessThanOrEqual(255)
      }),
    )
  })

  test('of two long values differ', () => {
    const long = 'x'.repeat(400)
    expect(partitionDirectory([['p', `${long}a`]])).not.toBe(partitionDirectory([['p', `${long}b`]]))
  })
})

describe('add.path', () => {
  test('encodes the directory name once more', () => {
    expect(encodePath('p=a%3Ab/part-1.parquet')).toBe('p=a%253Ab/part-1.parquet')
    expect(encodePath('p=a b/<x>|{y}')).toBe('p=a%20b/%3Cx%3E%7C%7By%7D')
    expect(encodePath('p=é&+~=/f')).toBe('p=é&+~=/f')
  })

  test('is decoded to the key it was made from and is never absolute', () => {
    const keys = text.filter((key) => !key.startsWith('/'))
    fc.assert(
      fc.property(keys, (key) => {
        expect(decodePath(encodePath(key))).toBe(key)
        expect(isAbsolutePath(encodePath(key))).toBe(false)
      }),
    )
  })

  test('UP-08: is decoded once', () => {
    expect(decodePath('x=A%252FA/part-00007.c000.snappy.parquet')).toBe('x=A%2FA/part-00007.c000.snappy.parquet')
    expect(decodePath('p=%C3%A9')).toBe('p=é')
    expect(decodePath('p=100%/f%zz')).toBe('p=100%/f%zz')
  })
})
