/**
 * Fields of records that the record type does not have.
 *
 * They are passed over and counted, so that none is lost without a word, or the record is rejected for the first one.
 */
import { RecordFault } from './record-fault.ts'

export type UnknownFieldsRule = 'ignore' | 'reject'

export class UnknownFields {
  /** fields passed over so far */
  count = 0
  private readonly rule: UnknownFieldsRule

  constructor(rule: UnknownFieldsRule = 'ignore') {
    this.rule = rule
  }

  get areRejected(): boolean {
    return this.rule === 'reject'
  }

  /**
   * Takes note of a field.
   *
   * @param path names from the record down, dotted
   * @throws RecordFault where such fields are rejected
   */
  meet(path: string): void {
    if (this.rule === 'reject') throw new RecordFault(`the record has the field ${path}, which is no column`)
    this.count++
  }
}
