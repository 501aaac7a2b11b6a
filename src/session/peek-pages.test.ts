import { describe, expect, test } from 'vitest'
import { collect } from '../support/index.ts'
import { peekPages, weighRow } from './peek-pages.ts'

async function* numbered(pages: number): AsyncGenerator<readonly number[]> {
  for (let page = 0; page < pages; page++) yield [page, page]
}

describe('peekPages', () => {
  test('pages within the bound are few, and all of them come', async () => {
    const { areFew, pages } = await peekPages(numbered(3), 6, () => 1)
    expect(areFew).toBe(true)
    expect(await collect(pages)).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ])
  })

  test('of many pages none is read beyond the bound, none is lost', async () => {
    let read = 0
    const source = (async function* () {
      for await (const page of numbered(9)) {
        read++
        yield page
      }
    })()
    const { areFew, pages } = await peekPages(source, 4, () => 1)
    expect(areFew).toBe(false)
    expect(read).toBe(3)
    expect((await collect(pages)).length).toBe(9)
  })

  test('whoever stops early ends the source', async () => {
    let ended = false
    const source = (async function* () {
      try {
        yield* numbered(9)
      } finally {
        ended = true
      }
    })()
    const { pages } = await peekPages(source, 1, () => 1)
    for await (const _ of pages) break
    expect(ended).toBe(true)
  })

  test('a long text, a list and a map weigh what is in them', () => {
    expect(weighRow([1, 'ab', null])).toBe(4)
    expect(weighRow(['x'.repeat(640)])).toBe(12)
    expect(weighRow([[[{ key: 'a', value: 1n }]]])).toBe(5)
  })
})
