import { expect, test } from 'vitest'
import { Deliveries } from './deliveries.ts'

function message(seq: number, deliverySequence: number) {
  return { seq, data: new Uint8Array(0), info: { deliverySequence } }
}

test('messages are taken in the order of the stream, with the gaps that it has', () => {
  const deliveries = new Deliveries(5n)
  const { messages, known, isMissing } = deliveries.take([message(5, 1), message(9, 2), message(10, 3)])
  expect(messages.map(({ offset }) => offset)).toEqual([5n, 9n, 10n])
  expect([known.length, isMissing, deliveries.next, deliveries.count]).toEqual([0, false, 11n, 3])
})

test('what is delivered again, or lies before the place, is not taken', () => {
  const deliveries = new Deliveries(5n)
  const first = deliveries.take([message(3, 1), message(4, 2), message(5, 3)])
  expect([first.messages.length, first.known.map(({ seq }) => seq)]).toEqual([1, [3, 4]])
  const second = deliveries.take([message(5, 4), message(6, 5)])
  expect([second.messages.map(({ offset }) => offset), second.known.length]).toEqual([[6n], 1])
})

test('nothing is taken behind a delivery that went elsewhere', () => {
  const deliveries = new Deliveries(1n)
  const { messages, isMissing } = deliveries.take([message(1, 1), message(3, 3), message(4, 4)])
  expect([messages.length, isMissing, deliveries.next]).toEqual([1, true, 2n])
  expect(new Deliveries(1n).take([message(2, 2)])).toMatchObject({ messages: [], isMissing: true })
})
