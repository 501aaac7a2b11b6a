/** What a reader of a consumer takes of its deliveries: the stream in its order, without a gap. */
import type { SourceMessage } from '../messages.ts'

/** As the client gives it, as far as it matters here. */
export interface NatsMessage {
  /** its place in the stream */
  readonly seq: number
  readonly data: Uint8Array
  /** counts the deliveries of the consumer, to whomever they go */
  readonly info: { readonly deliverySequence: number }
}

export interface Taken<M> {
  /** in the order of the stream */
  readonly messages: readonly SourceMessage[]
  readonly sources: readonly M[]
  /** delivered again, or from before the place that reading began at */
  readonly known: readonly M[]
  /** a delivery went elsewhere: whatever comes behind it is not taken */
  readonly isMissing: boolean
}

export class Deliveries {
  /** how many there were */
  count = 0
  /** stream sequence behind the last message taken */
  next: bigint

  constructor(start: bigint) {
    this.next = start
  }

  take<M extends NatsMessage>(messages: readonly M[]): Taken<M> {
    const sources: M[] = []
    const known: M[] = []
    for (const message of messages) {
      if (message.info.deliverySequence !== this.count + 1) return takenOf(sources, known, true)
      this.count++
      if (BigInt(message.seq) < this.next) known.push(message)
      else {
        this.next = BigInt(message.seq) + 1n
        sources.push(message)
      }
    }
    return takenOf(sources, known, false)
  }
}

function takenOf<M extends NatsMessage>(sources: readonly M[], known: readonly M[], isMissing: boolean): Taken<M> {
  const messages = sources.map(({ seq, data }) => ({ offset: BigInt(seq), value: data }))
  return { messages, sources, known, isMissing }
}
