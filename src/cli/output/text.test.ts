import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { parseNameList } from '../read-options.ts'
import { Output } from './output.ts'
import { progressText } from './progress.ts'
import { formatBytes, formatSpan } from './sizes.ts'
import { printTable } from './text-table.ts'
import { cut, pad, printable, textWidth } from './text-width.ts'

/** The text of a table, on a terminal of so many cells or in a file. */
async function print(rows: (string | null)[][], columns?: number): Promise<string> {
  let text = ''
  const stream = new Writable({
    write(chunk, _, done) {
      text += String(chunk)
      done()
    },
  })
  const stdout = Object.assign(stream, columns === undefined ? {} : { isTTY: true, columns })
  const terminal = { stdin: process.stdin, stderr: process.stderr, env: {}, cwd: '/', stdout }
  const output = new Output(terminal, 'never', () => {})
  await printTable(output, [{ name: 'id', align: 'right' }, { name: 'name' }, { name: 'note' }], rows)
  await output.flush()
  return text
}

describe('width', () => {
  test('wide characters and emoji take two cells, combining marks none', () => {
    expect(textWidth('abc')).toBe(3)
    expect(textWidth('日本')).toBe(4)
    expect(textWidth('e\u0301')).toBe(1)
    expect(textWidth('👩‍👩‍👧')).toBe(2)
    expect(textWidth('한글')).toBe(4)
    expect(pad('日', 4, 'right')).toBe('  日')
    expect(cut('日本語', 5)).toBe('日本…')
  })

  test('control characters cannot move the cursor', () => {
    expect(printable('a\n\u001b[31mb\u0000')).toBe('a\\n\\u001b[31mb\\u0000')
  })
})

describe('tables', () => {
  const rows = [
    ['1', '日本', null],
    ['20', 'x', 'a long note that does not fit'],
  ]

  test('columns are aligned; nothing is cut outside a terminal', async () => {
    expect(await print(rows)).toBe(`id  name  note
 1  日本  null
20  x     a long note that does not fit
`)
  })

  test('on a terminal the widest column gives way', async () => {
    expect(await print(rows, 24)).toBe(`id  name  note
 1  日本  null
20  x     a long note t…
`)
  })

  test('without rows there is the line of names', async () => {
    expect(await print([])).toBe('id  name  note\n')
  })
})

test('names with commas and backticks stand in backticks', () => {
  expect(parseNameList('a, b')).toEqual(['a', 'b'])
  expect(parseNameList('`a,b`,`x``y`')).toEqual(['a,b', 'x`y'])
  expect(() => parseNameList('a,,b')).toThrow('list of column names')
  expect(() => parseNameList('`a')).toThrow('list of column names')
})

test('sizes, spans and progress are short', () => {
  expect([formatBytes(0), formatBytes(999), formatBytes(1234), formatBytes(99_960), formatBytes(5e9)]).toEqual([
    '0 B',
    '999 B',
    '1.2 kB',
    '100 kB',
    '5.0 GB',
  ])
  expect([formatSpan(400), formatSpan(65_000)]).toEqual(['0.4 s', '1 min 5 s'])
  const progress = { rows: 1200, files: 1, bytes: 50_000_000 }
  expect(progressText({ title: 'writing', progress, elapsedMs: 5000, totalBytes: 100_000_000 })).toBe(
    'writing  1,200 rows  1 file  50.0 MB  10.0 MB/s  5.0 s left',
  )
})
