/**
 * How far each partition has come: what was given, what is still without a commit, and what the group is told.
 *
 * The tables say where a partition goes on. The group's own offsets are told for those who watch them, and are read only
 * where no table knows of the partition.
 */
import type { BatchOutcome } from '../source.ts'
import type { KafkaConsumer } from './client.ts'

export interface TopicPartition {
  readonly topic: string
  readonly partition: number
}

/** What a partition is called among the positions of a table. */
export function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`
}

interface Progress {
  readonly of: TopicPartition
  /** behind the last message given */
  given: bigint
  underWay: number
  /** behind the last message of a batch that all destinations have */
  settled: bigint
  /** as it was last told to the group */
  told: bigint
}

export class Places {
  private readonly consumer: KafkaConsumer
  private readonly onWarning: (error: unknown) => void
  private readonly known = new Map<string, Progress>()
  private telling: Promise<void> | undefined

  constructor(consumer: KafkaConsumer, onWarning: (error: unknown) => void) {
    this.consumer = consumer
    this.onWarning = onWarning
  }

  /**
   * Where messages were handed on up to, of a partition some of whose batches have no commit yet; 0 for any other. They
   * are not given again: whatever becomes of them, the destination commits what no one else did.
   */
  underWayTo(of: TopicPartition): bigint {
    const progress = this.known.get(nameOf(of))
    return progress === undefined || progress.underWay === 0 ? 0n : progress.given
  }

  /** @returns to be told the batch's outcome */
  give(of: TopicPartition, end: bigint): (outcome: BatchOutcome) => void {
    const progress = this.progressOf(of)
    progress.given = end
    progress.underWay++
    return (outcome) => {
      progress.underWay--
      if (outcome.kind === 'failed') return
      if (end > progress.settled) progress.settled = end
      this.telling ??= this.tell().finally(() => {
        this.telling = undefined
      })
    }
  }

  /** Resolves when the group knows all that is settled, or was told of in vain. */
  async told(): Promise<void> {
    await this.telling
  }

  private progressOf(of: TopicPartition): Progress {
    const progress = this.known.get(nameOf(of)) ?? { of, given: 0n, underWay: 0, settled: 0n, told: 0n }
    this.known.set(nameOf(of), progress)
    return progress
  }

  /** One call at a time, for all that was settled meanwhile, of partitions that are still ours. */
  private async tell(): Promise<void> {
    await Promise.resolve()
    for (;;) {
      const news = [...this.known.values()].filter(({ of, settled, told }) => settled > told && this.isAssigned(of))
      if (news.length === 0) return
      const offsets = news.map(({ of, settled }) => ({ ...of, offset: settled, leaderEpoch: -1 }))
      for (const progress of news) progress.told = progress.settled
      await this.consumer.commit({ offsets }).catch(this.onWarning)
    }
  }

  private isAssigned({ topic, partition }: TopicPartition): boolean {
    return (this.consumer.assignments ?? []).some((own) => own.topic === topic && own.partitions.includes(partition))
  }
}
