import { describe, expect, test } from 'vitest'
import { keysAsWritten } from '../../support/index.ts'
import { CsvReader } from './csv.ts'

function read(...pieces: string[]) {
  const reader = new CsvReader('x.csv')
  return [...pieces.flatMap((piece) => reader.take(piece)), ...reader.end()]
}

describe('CSV', () => {
  test('fields are quoted or bare; empty is null, quoted empty is a text', () => {
    expect(read('a,b,c\n1,,""\n')).toEqual([{ record: { a: '1', b: null, c: '' }, line: 2 }])
    expect(read('a,b\n"x, ""y""\nz",2\n3,4\n').map(({ record, line }) => [record, line])).toEqual([
      [{ a: 'x, "y"\nz', b: '2' }, 2],
      [{ a: '3', b: '4' }, 4],
    ])
  })

  test('records are the same however the text is cut into pieces', () => {
    const text = '\ufeffname,note\r\n"a,b","x\ny"\r\n\r\nlast,"q"" '.concat('"\r\n')
    const whole = read(text)
    expect(whole.map(({ record }) => record)).toEqual([
      { name: 'a,b', note: 'x\ny' },
      { name: 'last', note: 'q" ' },
    ])
    for (let cut = 1; cut < text.length; cut++) expect(read(text.slice(0, cut), text.slice(cut))).toEqual(whole)
  })

  test('columns called as whole numbers keep their place', () => {
    const [{ record } = { record: {} }] = read('country,2021,2020\nDE,1,2\n')
    expect(keysAsWritten(record)).toEqual(['country', '2021', '2020'])
  })

  test('a last line without its end counts', () => {
    expect(read('a\n1\n2').map(({ record }) => record)).toEqual([{ a: '1' }, { a: '2' }])
  })

  test.each([
    ['a,b\n1\n', 'x.csv, line 2: it has 1 field for 2 columns'],
    ['a,a\n', 'x.csv, line 1: the column a is there twice'],
    ['a,\n', 'x.csv, line 1: a column has no name'],
    ['', 'x.csv, line 1: there is no line of column names'],
    ['a\n"x\n', 'x.csv, line 2: a quote is never closed'],
    ['a\nx"y"\n', 'x.csv, line 2: a quote stands inside a field at character 1'],
  ])('%j is refused with its line', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})
