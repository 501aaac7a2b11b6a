import { expect, test } from 'vitest'
import { scrollShape } from './scroll-shape.ts'

const HEIGHT = 600

test.each([0, 28, 600, 560_000, 8_000_000, 28_000_000, 280_000_000])(
  'a list of %d pixels is shown from its first line to its last',
  (full) => {
    const { space, ratio } = scrollShape(full, HEIGHT)
    expect(space).toBeLessThanOrEqual(8_000_000)
    const furthest = Math.max(0, space - HEIGHT)
    expect(furthest * ratio + HEIGHT).toBeCloseTo(Math.max(full, HEIGHT), 3)
  },
)

test('a list that fits is scrolled pixel by pixel', () => {
  expect(scrollShape(560_000, HEIGHT)).toEqual({ space: 560_000, ratio: 1 })
})
