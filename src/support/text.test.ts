import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareBytes, compareText, encodeUtf8, sortTexts } from './index.ts'

test('texts are sorted as their UTF-8 bytes are, whatever they hold', () => {
  const unit = fc.constantFrom('a', 'B', '\u{e000}', '\u{ffff}', '\u{1f986}', '\ud7ff', 'é')
  const texts = fc.array(fc.array(unit, { maxLength: 4 }).map((units) => units.join('')))
  fc.assert(
    fc.property(texts, (list) => {
      const byBytes = [...list].sort((a, b) => compareBytes(encodeUtf8(a), encodeUtf8(b)))
      expect(sortTexts([...list])).toEqual(byBytes)
      expect([...list].sort(compareText)).toEqual(byBytes)
    }),
  )
})
